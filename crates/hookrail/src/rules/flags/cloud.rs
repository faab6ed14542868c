//! Programs that change what runs elsewhere.

use super::Syntax;

/// What all commands of gh accept.
const GH: &str = "-R|--repo= --help --hostname= -q|--jq= -t|--template= --json= -w|--web -L|--limit= -y|--yes --confirm -b|--body= -F|--body-file= -l|--label= -s|--state= -a|--assignee=";

/// The programs of this table.
pub(super) const PROGRAMS: &[Syntax] = &[
    Syntax::in_full("gh", "-R|--repo= --help --version").with(&[
        Syntax::in_full("repo", "").with(&[
            Syntax::in_full("delete|archive|unarchive|rename|edit|sync|view|list|fork|clone|set-default", "-R|--repo= --yes -y --confirm -b|--branch= --force --visibility= --accept-visibility-change-consequences -s|--source= --json= -q|--jq= --default-branch="),
            Syntax::in_full("create|new", "--public --private --internal -s|--source= -r|--remote= --push -c|--clone -d|--description= -h|--homepage= -t|--team= -p|--template= -g|--gitignore= -l|--license= --add-readme"),
        ]),
        Syntax::in_full("pr", GH).with_global(&[Syntax::in_full("merge", "--admin --auto -d|--delete-branch --disable-auto -m|--merge -r|--rebase --squash --match-head-commit= -A|--author-email= --subject="), Syntax::in_full("create|new", "-B|--base= -d|--draft -f|--fill --fill-first -H|--head= -r|--reviewer= --title= --no-maintainer-edit --recover= -m|--milestone= -p|--project="), Syntax::in_full("close", "-c|--comment= -d|--delete-branch"), Syntax::in_full("review", "--approve -c|--comment -r|--request-changes"), Syntax::in_full("list|ls|view|diff|checks|checkout|co|comment|edit|ready|reopen|status", "")]),
        Syntax::in_full("issue", GH).with_global(&[Syntax::in_full("delete|close|create|edit|list|view|transfer|lock|unlock|pin|comment|reopen", "-c|--comment= -r|--reason= --title=")]),
        Syntax::in_full("release", "-R|--repo=").with_global(&[Syntax::in_full("create|new", "-d|--draft -p|--prerelease -n|--notes= -F|--notes-file= -t|--title= --target= --generate-notes --latest --verify-tag --discussion-category= --notes-start-tag="), Syntax::in_full("delete", "-y|--yes --cleanup-tag"), Syntax::in_full("upload", "--clobber"), Syntax::in_full("edit|list|view|download|delete-asset", "-y|--yes -D|--dir= -p|--pattern= -O|--output= --tag=")]),
        Syntax::in_full("secret|variable", "-R|--repo= -o|--org= -e|--env= -a|--app= -u|--user -b|--body= -f|--env-file= -r|--repos= -v|--visibility= --no-store").with_global(&[Syntax::in_full("set|delete|remove|list|ls|get", "")]),
        Syntax::in_full("auth", "-h|--hostname= -u|--user=").with_global(&[Syntax::in_full("token|login|logout|refresh|setup-git|status|switch", "-t|--show-token -s|--scopes= -w|--web --with-token -p|--git-protocol= --insecure-storage")]),
        Syntax::in_full("api", "--cache= -F|--field= -H|--header= --hostname= -i|--include --input= -q|--jq= -X|--method= --paginate -p|--preview= -f|--raw-field= --silent --slurp -t|--template= --verbose"),
        Syntax::in_full("workflow|run|cache|gist|label|ruleset|project|codespace|ssh-key|gpg-key|extension", "-R|--repo="),
    ]),
    Syntax::single_dash("terraform|tofu|terragrunt", "-chdir= -help -version").with(&[
        Syntax::single_dash("apply|destroy|plan|refresh", "-auto-approve|--auto-approve -compact-warnings -destroy|--destroy -detailed-exitcode -input= -json -lock= -lock-timeout= -no-color -out= -parallelism= -refresh=? -refresh-only -replace= -state= -state-out= -backup= -target= -var= -var-file="),
        Syntax::single_dash("init", "-backend=? -backend-config= -force-copy -from-module= -get= -input= -lock= -migrate-state -no-color -plugin-dir= -reconfigure -upgrade"),
        Syntax::single_dash("state", "").with(&[Syntax::single_dash("rm|mv|push|pull|list|show|replace-provider", "-dry-run -backup= -lock= -lock-timeout= -state= -state-out= -force -ignore-remote-version")]),
        Syntax::single_dash("workspace", "").with(&[Syntax::single_dash("delete|new|select|list|show", "-force -lock= -lock-timeout=")]),
        Syntax::single_dash("force-unlock|import|taint|untaint", "-force -lock= -var= -var-file= -state="),
    ]),
    Syntax::in_full("pulumi", "-C|--cwd= --color= --logtostderr --non-interactive -v|--verbose= -s|--stack= -y|--yes -f|--skip-preview -r|--refresh -p|--parallel= -t|--target= -m|--message= -d|--debug").with_global(&[Syntax::in_full("up|update|destroy|preview|refresh|cancel", ""), Syntax::in_full("stack", "").with_global(&[Syntax::in_full("rm", "--force --preserve-config")])]),
    Syntax::new(
        "aws",
        "--debug --endpoint-url= --no-verify-ssl --no-paginate --output= --query= --profile= --region= --version --color= --no-sign-request \
         --ca-bundle= --cli-read-timeout= --cli-connect-timeout= --cli-binary-format= --no-cli-pager --cli-auto-prompt --no-cli-auto-prompt",
    )
    .with_global(&[
        Syntax::new("s3", "").with_global(&[Syntax::new("cp|mv|sync|rm|rb|mb|ls|presign|website", "--recursive --dryrun --quiet --include= --exclude= --acl= --delete --force --follow-symlinks --no-follow-symlinks --no-guess-mime-type --sse=? --sse-kms-key-id= --storage-class= --grants= --content-type= --cache-control= --metadata= --metadata-directive= --expires-in= --page-size= --request-payer=? --only-show-errors --no-progress --size-only --exact-timestamps --human-readable --summarize --source-region=")]),
        Syntax::new("ec2|iam|rds|lambda|s3api|cloudformation|eks|ecs|dynamodb|sts|secretsmanager|ssm|kms|route53|logs|sqs|sns|ecr|organizations", ""),
    ]),
    Syntax::in_full("gcloud|gsutil", "--account= --billing-project= --configuration= --flags-file= --flatten= --format= -h|--help --impersonate-service-account= --log-http --project= -q|--quiet --trace-token= --verbosity= --user-output-enabled --region= --zone= -m -o="),
    Syntax::in_full("az", "--debug -h|--help --only-show-errors -o|--output= --query= --subscription= --verbose -g|--resource-group= -n|--name= -y|--yes --no-wait -l|--location= --ids="),
    Syntax::in_full("vercel|netlify|flyctl|fly|wrangler|firebase|heroku", "-a|--app= -y|--yes --prod --force -t|--token= --cwd= -c|--config= -S|--scope= --project= -P= --confirm= -r|--remote="),
    Syntax::new("psql|mysql|sqlite3", "-c|--command= -d|--dbname= -f|--file= -h|--host= -U|--username= -p=? --port= -e|--execute= -u|--user= --password=? -D|--database= -v|--set= -A|--no-align -t|--tuples-only -q|--quiet -w|--no-password -W -X|--no-psqlrc -o|--output= -1|--single-transaction -l|--list"),
    Syntax::in_full("redis-cli", "-h= -p= -s= -a= -u= -r= -i= -n= -x -X= -d= -c --raw --csv --scan --pattern= --eval= --pipe --user= --pass= --askpass --tls"),
];
