//! Containers and clusters.

use super::Syntax;

/// What `docker run` and `docker create` accept before the image.
const RUN: &str = "-a|--attach= --add-host= --annotation= --blkio-weight= --blkio-weight-device= --cap-add= --cap-drop= \
    --cgroup-parent= --cgroupns= --cidfile= --cpu-period= --cpu-quota= -c|--cpu-shares= --cpus= --cpuset-cpus= \
    --cpuset-mems= -d|--detach --detach-keys= --device= --device-cgroup-rule= --disable-content-trust --dns= \
    --dns-option= --dns-search= --domainname= --entrypoint= -e|--env= --env-file= --expose= --gpus= --group-add= \
    --health-cmd= -h|--hostname= --init -i|--interactive --ip= --ip6= --ipc= --isolation= -l|--label= --label-file= --link= \
    --log-driver= --log-opt= --mac-address= -m|--memory= --memory-reservation= --memory-swap= --mount= --name= \
    --network|--net= --network-alias|--net-alias= --no-healthcheck --oom-kill-disable --oom-score-adj= --pid= --pids-limit= \
    --platform= --privileged -p|--publish= -P|--publish-all --pull= -q|--quiet --read-only --restart= --rm --runtime= \
    --security-opt= --shm-size= --sig-proxy --stop-signal= --stop-timeout= --storage-opt= --sysctl= --tmpfs= -t|--tty \
    --ulimit= -u|--user= --userns= --uts= -v|--volume= --volume-driver= --volumes-from= -w|--workdir= --arch= --userns-mode=";
/// What `docker exec` accepts before the container.
const EXEC: &str = "-d|--detach --detach-keys= -e|--env= --env-file= -i|--interactive --privileged -t|--tty -u|--user= -w|--workdir= -l|--latest";
/// What all removals of containers accept.
const REMOVE: &str = "-f|--force -l|--link -v|--volumes -a|--all -i|--ignore -t|--time=";
/// What all builds accept.
const BUILD: &str = "--add-host= --build-arg= --build-context= --cache-from= --cache-to= -f|--file= --iidfile= --label= --load \
    --network= --no-cache -o|--output= --platform= --progress= --pull --push -q|--quiet --secret= --ssh= -t|--tag= --target= --rm --squash";
/// What all clean-ups accept.
const PRUNE: &str = "-a|--all --filter= -f|--force --volumes";

/// The programs of this table.
pub(super) const PROGRAMS: &[Syntax] = &[
    Syntax::in_full("docker|podman|nerdctl", "--config= -c|--context= -D|--debug -H|--host= -l|--log-level= --tls --tlscacert= --tlscert= --tlskey= --tlsverify -v|--version --root= --runroot= --url= --connection= -r|--remote -n|--namespace=").with(&[
        Syntax::in_full("run|create", RUN).launcher(),
        Syntax::in_full("exec", EXEC).launcher(),
        Syntax::in_full("rm", REMOVE),
        Syntax::in_full("rmi", "-f|--force --no-prune -a|--all"),
        Syntax::in_full("kill", "-s|--signal= -a|--all"),
        Syntax::in_full("stop|restart", "-s|--signal= -t|--timeout|--time= -a|--all"),
        Syntax::in_full("build", BUILD),
        Syntax::in_full("push", "-a|--all-tags --disable-content-trust -q|--quiet --creds= --tls-verify"),
        Syntax::in_full("pull", "-a|--all-tags --platform= -q|--quiet"),
        Syntax::in_full("login", "-u|--username= -p|--password= --password-stdin"),
        Syntax::in_full("cp", "-a|--archive -L|--follow-link -q|--quiet"),
        Syntax::in_full("ps", "-a|--all -f|--filter= --format= -n|--last= -l|--latest --no-trunc -q|--quiet -s|--size"),
        Syntax::in_full("logs", "--details -f|--follow --since= -n|--tail= -t|--timestamps --until="),
        Syntax::in_full("tag|inspect|images|load|save|info|version", "-f|--format= -s|--size --type= -a|--all -q|--quiet -i|--input= -o|--output= --no-trunc"),
        Syntax::in_full("container", "").with(&[
            Syntax::in_full("run|create", RUN).launcher(),
            Syntax::in_full("exec", EXEC).launcher(),
            Syntax::in_full("rm|remove", REMOVE),
            Syntax::in_full("prune", PRUNE),
            Syntax::in_full("kill|stop|restart", "-s|--signal= -t|--timeout|--time="),
        ]),
        Syntax::in_full("image", "").with(&[Syntax::in_full("rm|remove", "-f|--force --no-prune"), Syntax::in_full("prune", PRUNE), Syntax::in_full("build", BUILD), Syntax::in_full("push", "-a|--all-tags")]),
        Syntax::in_full("volume", "").with(&[Syntax::in_full("rm|remove", "-f|--force"), Syntax::in_full("prune", PRUNE), Syntax::in_full("create", "-d|--driver= --label= -o|--opt=")]),
        Syntax::in_full("network", "").with(&[Syntax::in_full("rm|remove", "-f|--force"), Syntax::in_full("prune", PRUNE)]),
        Syntax::in_full("system", "").with(&[Syntax::in_full("prune", PRUNE), Syntax::in_full("df", "-v|--verbose --format="), Syntax::in_full("reset", "-f|--force")]),
        Syntax::in_full("builder|buildx", "--builder=").with_global(&[Syntax::in_full("prune", PRUNE), Syntax::in_full("build|b", BUILD)]),
        Syntax::in_full("compose", COMPOSE).with(COMPOSE_COMMANDS),
    ]),
    Syntax::in_full("docker-compose|podman-compose", COMPOSE).with(COMPOSE_COMMANDS),
    Syntax::in_full(
        "kubectl|oc|k",
        "--as= --as-group= --as-uid= --cache-dir= --certificate-authority= --client-certificate= --client-key= --cluster= \
         --context= --disable-compression --insecure-skip-tls-verify --kubeconfig= --log-flush-frequency= \
         --match-server-version -n|--namespace= --password= --profile= --profile-output= --request-timeout= -s|--server= \
         --tls-server-name= --token= --user= --username= -v|--v= --vmodule= --warnings-as-errors -f|--filename= -k|--kustomize= \
         -R|--recursive -l|--selector= --field-selector= -A|--all-namespaces --all -o|--output= --dry-run=? --force --grace-period= \
         --wait=? --timeout= --now --cascade=? --ignore-not-found --prune --server-side --field-manager= --overwrite -w|--watch \
         --replicas= --type= -p|--patch= --patch-file= -c|--container= --tail= --since= --previous --follow -L|--label-columns= \
         --show-labels --sort-by= --template= --raw= --delete-emptydir-data --ignore-daemonsets --disable-eviction",
    )
    .with_global(&[
        Syntax::in_full("exec", "-i|--stdin -t|--tty -q|--quiet --pod-running-timeout=").launcher(),
        Syntax::in_full("run", "--image= --env= --port= --restart= --rm -i|--stdin -t|--tty --command --labels= --overrides="),
        Syntax::in_full("delete", "-i|--interactive"),
        Syntax::in_full("apply", "").with_global(&[Syntax::in_full("edit-last-applied|set-last-applied|view-last-applied", "")]),
        Syntax::in_full("create|replace|patch|edit|scale|drain|cordon|uncordon|taint|label|annotate|get|describe|logs|cp|port-forward|rollout|set|top|config|auth", ""),
    ]),
    Syntax::in_full("helm", "--burst-limit= --debug --kube-apiserver= --kube-as-group= --kube-as-user= --kube-ca-file= --kube-context= --kube-token= --kubeconfig= -n|--namespace= --registry-config= --repository-cache= --repository-config= -f|--values= --set= --set-string= --set-file= --version= --timeout= --wait --atomic --dry-run=? --force --create-namespace -i|--install --reuse-values --reset-values --no-hooks --keep-history --cascade= -o|--output= --repo=")
        .with_global(&[Syntax::in_full("install", "-g|--generate-name"), Syntax::in_full("upgrade", ""), Syntax::in_full("uninstall|delete|del|un", ""), Syntax::in_full("rollback", ""), Syntax::in_full("push", "")]),
];

/// What compose accepts before its commands.
const COMPOSE: &str = "--all-resources --ansi= --compatibility --dry-run --env-file= -f|--file= --parallel= --profile= --progress= \
    --project-directory= -p|--project-name=";
/// The commands of compose.
const COMPOSE_COMMANDS: &[Syntax] = &[
    Syntax::in_full("up", "-d|--detach --build --force-recreate --no-deps --no-recreate --remove-orphans --scale= -t|--timeout= -V|--renew-anon-volumes -w|--watch --wait --pull= --abort-on-container-exit --exit-code-from="),
    Syntax::in_full("down", "--remove-orphans --rmi= -t|--timeout= -v|--volumes"),
    Syntax::in_full("rm", "-f|--force -s|--stop -v|--volumes"),
    Syntax::in_full("run", "--build --cap-add= --cap-drop= -d|--detach --entrypoint= -e|--env= --env-from-file= -i|--interactive -l|--label= --name= -T|--no-TTY --no-deps -p|--publish= --pull= --quiet-pull --remove-orphans --rm -P|--service-ports --use-aliases -u|--user= -v|--volume= -w|--workdir=").launcher(),
    Syntax::in_full("exec", "-d|--detach -e|--env= --index= -T|--no-TTY --privileged -u|--user= -w|--workdir=").launcher(),
    Syntax::in_full("push|pull|build|restart|stop|start|kill|logs|ps|config", "-q|--quiet --ignore-push-failures --include-deps -f|--follow -t|--timeout= -s|--signal= --no-cache --pull --build-arg= -n|--tail= --since= --format="),
];
