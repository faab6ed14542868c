//! Tables of what lines would do.

use super::{commands, facts_of_argv, facts_of_line, paths};

/// Whether a line is dynamic.
const D: bool = true;

#[test]
fn launchers_are_looked_through() {
    let mut misses = Vec::new();
    for (line, inner, via, dynamic) in [
        ("sudo rm a", "rm a", "sudo", !D),
        ("sudo -u x -g y rm a", "rm a", "sudo", !D),
        ("sudo -nu x rm a", "rm a", "sudo", !D),
        ("sudo --user=x --chdir d A=b rm a", "rm a", "sudo", !D),
        ("sudo -E -H -- rm a", "rm a", "sudo", !D),
        ("sudo -i rm a", "rm a", "sudo", !D),
        ("sudo --unheard-of x rm a", "x rm a", "sudo", D),
        ("sudo $X rm a", "rm a", "sudo", D),
        ("/usr/bin/sudo /bin/rm a", "/bin/rm a", "sudo", !D),
        ("sudo -s <<< 'rm a'", "rm a", "sudo", !D),
        ("doas -u x rm a", "rm a", "doas", !D),
        ("su -c 'rm a'", "rm a", "su", !D),
        ("su x -c 'rm a'", "rm a", "su", !D),
        ("su - x --command='rm a'", "rm a", "su", !D),
        ("su -l x -s /bin/sh -c 'rm a' b", "rm a", "su", !D),
        ("su x <<< 'rm a'", "rm a", "su", !D),
        ("env -i A=b rm a", "rm a", "env", !D),
        ("env -S 'rm a' b", "rm a b", "env", !D),
        ("env -vS 'A=${B} rm a' b", "rm a b", "env", !D),
        ("env -S 'rm' -rf /", "rm -rf /", "env", !D),
        ("ionice -c 2 -n 7 rm a", "rm a", "ionice", !D),
        ("ionice -c2 -t rm a", "rm a", "ionice", !D),
        ("chroot --userspec=a:b d rm a", "rm a", "chroot", !D),
        ("/usr/bin/time -f %e -o f rm a", "rm a", "time", !D),
        ("\\time rm a", "rm a", "time", !D),
        ("watch -n 1 'rm a; ls b'", "ls b", "watch", !D),
        ("watch -d -x rm a", "rm a", "watch", !D),
        ("watch -n1 rm $X", "rm ?", "watch", !D),
        ("flock -x f sh -c 'rm a'", "rm a", "flock sh", !D),
        ("xargs -0 -n 1 -P4 rm -f", "rm -f ?", "xargs", !D),
        ("xargs -I{} mv {} {}.bak", "mv ? ?", "xargs", !D),
        ("xargs -I{} {} a", "? a", "xargs", D),
        ("xargs sh -c 'rm \"$1\"' x", "rm ?", "xargs sh", !D),
        ("parallel rm ::: a b", "rm b", "parallel", !D),
        ("parallel -j 4 rm {} '&&' ls {.} ::: a", "ls ?", "parallel", !D),
        ("parallel ::: 'rm a' 'ls b'", "rm a", "parallel", !D),
        ("parallel < f", "", "", D),
        ("find . -name x -exec rm -f {} +", "rm -f ?", "find", !D),
        ("find . -execdir rm {} ';' -o -okdir ls {} \\;", "ls ?", "find", !D),
        ("find . -exec sh -c 'rm \"$1\"' x {} \\;", "rm ?", "find sh", !D),
        ("find . -exec {} \\;", "?", "find", D),
        ("busybox rm a", "rm a", "busybox", !D),
        ("busybox sh -c 'rm a'", "rm a", "busybox sh", !D),
        ("zsh -c 'rm a'", "rm a", "zsh", !D),
        ("ksh -c 'rm a'", "rm a", "ksh", !D),
        ("fish -c 'rm a'", "rm a", "fish", !D),
        ("fish -c 'for x in a; rm $x; end'", "", "", D),
        ("ssh -p 2 -i k u@h rm -rf a", "rm -rf a", "ssh", !D),
        ("ssh h 'cd x && rm a'", "rm a", "ssh", !D),
        ("ssh -t h sudo rm a", "rm a", "ssh sudo", !D),
        ("ssh h bash -c \"'rm a'\"", "rm a", "ssh bash", !D),
        ("ssh h <<< 'rm a'", "rm a", "ssh", !D),
        ("ssh -o ProxyCommand='rm a' h ls", "rm a", "ssh", !D),
        ("cat f | ssh h", "", "", D),
        ("ssh h \"$X\"", "?", "ssh", D),
        ("docker exec -it -u root -w /x c rm a", "rm a", "docker", !D),
        ("docker exec -e A=b c sh -c 'rm a'", "rm a", "docker sh", !D),
        ("docker --host x run --rm -v /a:/b -p 80:80 --name n img rm a", "rm a", "docker", !D),
        ("docker run --entrypoint rm img a", "rm a", "docker", !D),
        ("docker compose -f x exec -T svc rm a", "rm a", "docker", !D),
        ("docker-compose run --rm svc rm a", "rm a", "docker-compose", !D),
        ("podman container exec c rm a", "rm a", "podman", !D),
        ("kubectl exec -it pod -n ns -c c -- rm a", "rm a", "kubectl", !D),
        ("kubectl -n ns exec pod -- sh -c 'rm a'", "rm a", "kubectl sh", !D),
        ("kubectl exec pod rm a", "rm a", "kubectl", !D),
        ("git -c alias.x='!rm a' x", "rm a", "git", D),
        ("git -c core.pager='rm a' log", "rm a", "git", !D),
        ("git -C d bisect run rm a", "rm a", "git", !D),
        ("git rebase -i --exec 'rm a' HEAD~2", "rm a", "git", !D),
        ("git rebase -x'rm a' HEAD~2", "rm a", "git", !D),
        ("git submodule --quiet foreach --recursive 'rm a || :'", "rm a", "git", !D),
        ("git filter-branch --tree-filter 'rm a' HEAD", "rm a", "git", !D),
        ("git difftool --extcmd='rm a'", "rm a", "git", !D),
        ("git grep -O'rm a' x", "rm a", "git", !D),
        ("git clone -u 'rm a' x", "rm a", "git", !D),
        ("git fetch --upload-pack='rm a' x", "rm a", "git", !D),
        ("git clone 'ext::rm a' d", "rm a", "git", !D),
        ("git config --global core.pager 'rm a'", "rm a", "git", !D),
        ("git config alias.x '!rm a' && git x", "rm a", "git", D),
        ("git config alias.p 'push -f'", "git push -f ?", "git", !D),
        ("git -c alias.p='push -f' p", "git push -f ?", "git", !D),
        ("GIT_SSH_COMMAND='rm a' git fetch", "rm a ?", "", !D),
        ("export GIT_EXTERNAL_DIFF='rm a'; git diff", "rm a ?", "", !D),
        ("env PAGER='rm a' man ls", "rm a", "env", !D),
        ("LESSOPEN='||- rm %s' less f", "rm %s ?", "", !D),
        ("SHELL=/tmp/x script f", "/tmp/x ?", "", D),
        ("tar --to-command='rm a' -xf t", "rm a ?", "tar", !D),
        ("tar --checkpoint=1 --checkpoint-action=exec='rm a' -cf t d", "rm a ?", "tar", !D),
        ("tar -xI 'rm a' -f t", "rm a ?", "tar", !D),
        ("rsync -ae 'rm a' x h:y", "rm a ?", "rsync", !D),
        ("rsync -e 'ssh -o ProxyCommand=\"rm a\"' x h:y", "rm a", "rsync ssh", !D),
        ("scp -oProxyCommand='rm a' x h:y", "rm a", "scp", !D),
        ("man -P 'rm a' ls", "rm a", "man", !D),
        ("split --filter='rm $FILE' f", "rm ?", "split", !D),
        ("script -qc 'rm a' /dev/null", "rm a", "script", !D),
        ("script -q /dev/null rm a", "rm a", "script", !D),
        ("at now + 1 hour <<< 'rm a'", "rm a", "at", !D),
        ("crontab - <<< '0 5 * * 1 rm a'", "rm a", "crontab", !D),
        ("crontab <<< '@daily rm a'", "rm a", "crontab", !D),
        ("strace -f -e trace=file -o out rm a", "rm a", "strace", !D),
        ("unshare -rm rm a", "rm a", "unshare", !D),
        ("nsenter -t 1 -m rm a", "rm a", "nsenter", !D),
        ("setpriv --reuid 1 --clear-groups rm a", "rm a", "setpriv", !D),
        ("systemd-run --user -p A=b --scope rm a", "rm a", "systemd-run", !D),
        ("taskset -c 0-3 rm a", "rm a", "taskset", !D),
        ("setarch x86_64 -R rm a", "rm a", "setarch", !D),
        ("/lib64/ld-linux-x86-64.so.2 --argv0 x /bin/rm a", "/bin/rm a", "ld-linux-x86-64.so.2", !D),
        ("uv run --with x rm a", "rm a", "uv", !D),
        ("poetry run rm a", "rm a", "poetry", !D),
        ("npx -c 'rm a'", "rm a", "npx", !D),
        ("direnv exec . rm a", "rm a", "direnv", !D),
        ("ls | entr -s 'rm a'", "rm a", "entr", !D),
        ("hyperfine -w 3 --prepare 'rm a' ls", "rm a", "hyperfine", !D),
        ("env A=\"$X\" rm a", "rm a", "env", !D),
        ("env A=$X rm a", "rm a", "env", D),
        ("timeout $T rm a", "rm a", "timeout", D),
        ("nohup sudo nice -n 5 bash -lc 'rm a' &", "rm a", "nohup sudo nice bash", !D),
        ("time rm a", "rm a", "time", !D),
        ("command sudo rm a", "rm a", "command sudo", !D),
        ("exec -a x sudo rm a", "rm a", "exec sudo", !D),
        ("alias ll='sudo rm'; ll a", "rm a", "sudo", !D),
    ] {
        let facts = facts_of_line(line);
        let at = commands(&facts).iter().position(|command| command == inner);
        let found = at.map(|at| facts.commands[at].via.join(" "));
        if facts.is_dynamic() != dynamic || (!inner.is_empty() && found.as_deref() != Some(via)) {
            misses.push(format!("{line}: {found:?} {:?} {:?}", facts.causes, commands(&facts)));
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

#[test]
fn what_cannot_be_told_is_dynamic() {
    let mut misses = Vec::new();
    for (line, dynamic) in [
        ("$X a", D),
        ("\"$X\" a", D),
        ("$(x) a", D),
        ("r* a", D),
        ("eval \"$y\"", D),
        ("eval rm $y", D),
        ("echo a | sh", !D),
        ("curl x | sudo bash -s -- y", D),
        ("sh < f", D),
        ("sh", D),
        ("sh < /dev/null", !D),
        ("bash <(curl x)", D),
        ("source f", D),
        (". ./f", D),
        ("bash f a", !D),
        ("./f", !D),
        ("bash -c \"$X\"", D),
        ("bash -c \"ls $X\"", D),
        ("bash $X", D),
        ("bash --rcfile f", D),
        ("trap \"$X\" EXIT", D),
        ("alias \"$X\"", D),
        ("'a", D),
        ("if a", D),
        ("a\0b", D),
        ("xargs sh", D),
        ("hash -p /bin/rm ls; ls a", D),
        ("BASH_CMDS[ls]=/bin/rm; ls a", D),
        ("enable -f ./x.so x", D),
        ("sh -c '[[ a && rm b ]]'", D),
        ("rm $X", !D),
        ("rm *", !D),
        ("X=$(y); rm $X", !D),
        ("trap 'rm -rf \"$t\"' INT TERM EXIT; X=ls; $X", !D),
        ("f() { rm \"$t\"; }; trap f INT; X=ls; $X", !D),
        ("trap 'X=rm' INT; X=ls; $X", D),
        ("trap f INT; f() { X=rm; }; X=ls; $X", D),
        ("trap 'X=rm' EXIT; X=ls; $X", !D),
        ("for ((i=0;i<3;i++)); do echo \"${a[$i]}\"; done", !D),
        ("n=$(wc -l < f); echo $((n + 1))", !D),
        ("echo 'a[$(x)]'", !D),
        ("read x <<< 'a[$(rm y)]'; ((x))", D),
        ("BASH_ENV=f ls", !D),
        ("BASH_ENV=f bash -c ls", D),
        ("BASH_ENV=f bash x.sh", D),
        ("BASH_ENV=f ./x.sh", D),
        ("BASH_ENV=f /usr/bin/ls", !D),
        ("BASH_ENV= bash x.sh", !D),
        ("env BASH_ENV=f bash x.sh", D),
        ("sudo BASH_ENV=f bash x.sh", D),
        ("env BASH_ENV=\"$X\" bash x.sh", D),
        ("export BASH_ENV=f; bash -c ls", D),
        ("export BASH_ENV=$X; bash -c ls", D),
        ("(export BASH_ENV=f); bash -c ls", !D),
        ("env BASH_ENV=f ls; bash -c ls", !D),
        ("BASH_ENV=f ls; bash -c ls", !D),
        ("BASH_ENV=f; unset BASH_ENV; ls", !D),
        ("ENV=prod sh x.sh", !D),
        ("ENV=f sh -ic ls", D),
        ("HOME=/x bash -c ls", !D),
        ("HOME=/x bash -lc ls", D),
        ("ZDOTDIR=/x zsh -c ls", D),
        ("env 'BASH_FUNC_ls%%=() { rm a; }' bash -c ls", D),
        ("EDITOR=$X git commit", D),
        ("PAGER= git log", !D),
        ("unset PAGER PROMPT_COMMAND", !D),
        ("SHELL=/bin/bash make", !D),
        ("TAR_OPTIONS=-v tar cf x y", D),
        ("GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!rm a' git x", D),
        ("GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=x git log", !D),
        ("at now < f", D),
        ("at -f f now", !D),
        ("crontab f", !D),
        ("(crontab -l; echo '* * * * * ls') | crontab -", D),
        ("tmux send-keys 'rm a' Enter", D),
        ("tmux ls", !D),
        ("unshare -r <<< ls", !D),
        ("unshare -r", D),
        ("strace --unheard-of x rm a", D),
        ("tar cIf x y z", !D),
        ("LD_PRELOAD=x.so ls", !D),
        ("echo \"$@\" $0 $_ $1", !D),
        ("git $X", !D),
        ("find . -delete", !D),
        ("python -c \"$X\"", !D),
        ("", !D),
        ("   \n # a", !D),
    ] {
        let facts = facts_of_line(line);
        if facts.is_dynamic() != dynamic {
            misses.push(format!("{line:?}: {facts:?}"));
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

#[test]
fn paths_are_told() {
    let mut misses = Vec::new();
    for (line, expected) in [
        ("a > f", "w f"),
        ("a >> f 2> g", "w f, w g"),
        ("a &> f", "w f"),
        ("a >| f < g", "w f, r g"),
        ("a <> f", "r f, w f"),
        ("a >&f", "w f"),
        ("a >&2 2>&1 2>&- <&3", ""),
        ("a > /dev/null 2> /dev/stderr < /dev/fd/3", ""),
        ("a <<< b", ""),
        ("> f", "w f"),
        ("{ a; } > f", "w f"),
        ("(a) < f", "r f"),
        ("if a; then b; fi > f", "w f"),
        ("a > $X", "w ?"),
        ("X=f; a > $X", "w f"),
        ("a > 'x y'", "w x y"),
        ("tee -a f g", "w f, w g"),
        ("cp a b c", "r a, r b, w c"),
        ("cp -r -t d a b", "r a, r b, w d"),
        ("cp --target-directory=d a", "r a, w d"),
        ("cp --target d a", "r a, w d"),
        ("mv a b", "r a, w a, w b"),
        ("rm -rf a -- -b +c", "w a, w -b, w +c"),
        ("rmdir a; mkdir -m 755 b; touch -d now c", "w a, w b, w c"),
        ("ln -s a b", "r a, w b"),
        ("ln -s x/a", "r x/a, w a"),
        ("install -m 755 a b", "r a, w b"),
        ("install -d a b", "w a, w b"),
        ("truncate -s 0 f", "w f"),
        ("sed s/a/b/ f", "r f"),
        ("sed -n -e p f", "r f"),
        ("awk -F : '{print $1}' f; awk -f x f", "r f, r x, r f"),
        ("sort -k 2 f -o g", "w g, r f"),
        ("base64 -w 0 f | cut -d , -f 1 g", "r f, r g"),
        ("unlink f; shred -n 3 g", "w f, w g"),
        ("sed -i s/a/b/ f g", "w f, w g"),
        ("sed -i.bak -e s/a/b/ f", "w f"),
        ("sed -ni s/a/b/ f", "w f"),
        ("sed --in-place=.b -e x f", "w f"),
        ("dd if=a of=b bs=1", "r a, w b"),
        ("curl -sSLo f -d @g u; curl -F x=@h -T i --output=j u", "w f, r g, r h, r i, w j"),
        ("curl -d a=b -H x u", ""),
        ("chmod -x f; chmod -R -w g; chmod -R u+x h", "w f, w g, w h"),
        ("chmod a-x,u-w f; chgrp g h", "w f, w h"),
        ("chattr -i f; chattr +i g; setfacl -m u:x:w h", "w f, w g, w h"),
        ("find a b -name x -delete; find . -fprint f", "w a, w b, w f"),
        ("find a -name x -print", ""),
        ("unzip -o a.zip -d d; wget -P d u", "w d, r a.zip, w u@d"),
        ("wget -qO f u; wget --post-file=g u", "w f, r g, w u"),
        ("rsync -a --exclude x a b", "r a, w b"),
        ("rsync -ae ssh a h:b; scp -P 2 h:a b", "r a, w b"),
        ("perl -pi -e s/a/b/ f; perl -i.bak -pe x g", "w f, w g"),
        ("perl -ne print f", "r f"),
        ("vim +12 -c wq f; ed g", "r f, w f, r g, w g"),
        ("gzip f; gzip -c g", "r f, w f, r g"),
        ("jq . f; xxd g; openssl enc -in h -out i", "r f, r g, r h, w i"),
        ("git restore f; git checkout x -- g; git rm h; git checkout y", "w f, w g, w h"),
        ("git -C d restore f", "w f@d"),
        ("xargs -a f echo; patch -p1 g < h", "r f, r h, w g"),
        ("cat ~+/f", "r f"),
        ("chmod -R 755 a b", "w a, w b"),
        ("chmod --reference=x a", "w a"),
        ("chown u:g a", "w a"),
        ("cat a b -", "r a, r b"),
        ("head -n 5 a; tail -c5 b; less c", "r a, r b, r c"),
        ("grep -rn pat a b", "r a, r b"),
        ("grep -e pat a", "r a"),
        ("grep -A 3 pat a", "r a"),
        ("grep pat", ""),
        ("source f", "r f"),
        (". f", "r f"),
        ("rm *.o", "w *.o"),
        ("rm $X \"$Y\"", "w ?, w ?"),
        ("rm ~/a '~/a'", "w ~/a, w ./~/a"),
        ("rm {a,b}", "w a, w b"),
        ("cd d; rm a", "w a@d"),
        ("cd d && rm a && cd e; rm b", "w a@d, w b@?"),
        ("cd d; cd e; rm a", "w a@d/e"),
        ("cd /d; rm a", "w a@/d"),
        ("cd; rm a", "w a@~"),
        ("cd -; rm a", "w a@?"),
        ("cd $X; rm a", "w a@?"),
        ("cd \"$X\"; cd /y; rm a", "w a@/y"),
        ("(cd d; rm a); rm b", "w a@d, w b"),
        ("cd d | rm a", "w a"),
        ("cd d & rm a", "w a"),
        ("x=$(cd d; rm a); rm b", "w a@d, w b"),
        ("cd -P -- d; rm a", "w a@d"),
        ("pushd d; rm a; popd; rm b", "w a@d, w b@?"),
        ("cd d || exit; rm a", "w a@d"),
        ("if x; then cd d; fi; rm a", "w a@?"),
        ("while x; do cd d; rm a; done", "w a@?"),
        ("f() { cd d; }; f; rm a", "w a@d"),
        ("CDPATH=/x; cd d; rm a", "w a@?"),
        ("sudo rm a; env -C d rm b", "w a, w b@d"),
        ("bash -c 'cd d; rm a'; rm b", "w a@d, w b"),
        ("xargs rm -f", "w ?"),
        ("find . -exec rm {} +", "w ./**"),
        ("ssh h rm a", ""),
        ("ssh h 'rm a' > f", "w f"),
        ("docker exec c rm a", ""),
        ("docker run -v a:b i rm a", ""),
        ("kubectl exec p -- rm a", ""),
        ("chroot d rm a", ""),
        ("f() { rm \"$1\"; }; f a", "w a"),
        ("cat <(ls) a", "r a"),
        ("$(< f)", "r f"),
        ("ln -s a b; cat b; cat c", "r a, w b, r b, r ?, r a, r c"),
        ("ln -s /etc/passwd x && echo y > x", "r /etc/passwd, w x, w x, w ?, w /etc/passwd"),
        ("ln -s /etc x; cat ./x/shadow xy", "r /etc, w x, r ./x/shadow, r ?, r /etc/shadow, r xy"),
        ("ln -s /etc x; cd x; cat shadow", "r /etc, w x, r shadow@x, r ?@x, r /etc/shadow@x"),
        ("ln -s ~/.ssh/id x; tee x", "r ~/.ssh/id, w x, w x, w ?, w ~/.ssh/id"),
        ("ln -s /etc/x; rm x; rm -r x/y", "r /etc/x, w x, w x, w ?, w x/y, w ?, w /etc/x/y"),
        ("cp -s /etc/x y; a > y", "r /etc/x, w y, w y, w ?, w /etc/x"),
        ("ln -s . b; a > ./b/c", "r ., w b, w ./b/c, w ?, w ./c"),
        ("ln -s . b; cd b; a > c", "r ., w b, w c@b, w ?@b"),
        ("ln -s x/a .; a > a", "r x/a, w ., w a, w ?, w x/a"),
        ("cat $HOME/a \"${PWD}/b\"", "r ~/a, r ./b"),
        ("cd d; a > $PWD/b", "w ./b@d"),
        ("HOME=/x; cat $HOME/a", "r /x/a"),
        ("cat x$HOME $HOME$X ${HOME%x}/a", "r x?, r ~?, r ?"),
    ] {
        let facts = facts_of_line(line);
        if paths(&facts).join(", ") != expected {
            misses.push(format!("{line}: {}, not {expected}", paths(&facts).join(", ")));
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

#[test]
fn a_copy_may_lead_into_a_folder() {
    for (line, expected) in [
        ("cp x/a b", "b/a"),
        ("mv x/a/ b/", "b/a"),
        ("ln -s x/a .", "./a"),
        ("cp a x/b d", "d/a, d/b"),
        ("cp -t d a", "d/a"),
        ("install a $HOME/b", "~/b/a"),
        ("cp -T a b", ""),
        ("cp $X b", ""),
    ] {
        let facts = facts_of_line(line);
        let inside = facts.paths.iter().filter(|path| path.only_in_folder);
        let inside: Vec<_> = inside.map(|path| path.path.as_deref().unwrap_or("?")).collect();
        assert_eq!(inside.join(", "), expected, "{line}: {facts:?}");
    }
}

#[test]
fn an_argv_is_not_read_by_a_shell() {
    let argv =
        |words: &[&str]| facts_of_argv(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    let facts = argv(&["rm", "$X", "a b", "*", "{a,b}", "> f"]);
    assert_eq!(commands(&facts), ["rm $X a b * {a,b} > f"]);
    assert_eq!(facts.commands[0].argv.len(), 6);
    assert!(!facts.is_dynamic());
    assert!(facts.programs.contains("rm"));
    // `cd` and `eval` are programs where no shell reads them.
    assert!(!argv(&["eval", "rm a"]).commands[0].builtin);
    assert_eq!(commands(&argv(&["bash", "-lc", "rm a"])), ["bash -lc rm a", "rm a"]);
    assert_eq!(commands(&argv(&["sudo", "rm", "a"])), ["sudo rm a", "rm a"]);
    assert!(argv(&["bash"]).is_dynamic());
    assert_eq!(argv(&[]), super::ShellFacts::default());
}

#[test]
fn facts_are_told_in_full() {
    let facts = facts_of_line("cd x && sudo rm -rf \"$Y\"");
    assert_eq!(commands(&facts), ["cd x", "sudo rm -rf ?", "rm -rf ?"]);
    let builtins: Vec<bool> = facts.commands.iter().map(|command| command.builtin).collect();
    assert_eq!(builtins, [true, false, false]);
    assert_eq!(facts.programs.iter().map(String::as_str).collect::<Vec<_>>(), ["rm", "sudo"]);
    assert_eq!(paths(&facts), ["w ?@x"]);
    assert!(!facts.is_dynamic());
    // What a broken text says is still told.
    let facts = facts_of_line("rm a; if true; then ls b");
    assert_eq!(commands(&facts), ["rm a", "true", "ls b"]);
    assert!(facts.is_dynamic());
}

#[test]
fn the_reserved_word_time_keeps_its_options() {
    for (line, expected) in [
        ("time rm a", ["time rm a", "rm a"]),
        ("time -p -- rm a", ["time -p -- rm a", "rm a"]),
        ("time -p sh", ["time -p sh", "sh"]),
    ] {
        assert_eq!(commands(&facts_of_line(line)), expected, "{line}");
    }
}

/// A folder of which only the beginning is known, and what `find` hands on.
#[test]
fn beginnings_are_followed() {
    let mut misses = Vec::new();
    for (line, expected) in [
        ("cd /etc/$X; rm y", "w /etc/?"),
        ("cd /etc/$X; rm /usr/y", "w /usr/y"),
        ("cd /etc/$X; rm ../y", "w ?"),
        ("cd /etc/$X; cd z; rm y", "w /etc/?"),
        ("cd /etc/$X; cd ..; rm y", "w y@?"),
        ("cd /etc/$X; cd /usr; rm y", "w y@/usr"),
        ("cd a; cd b/$X; rm y", "w b/?@a"),
        ("cd \"$(mktemp -d)\"; rm y", "w /tmp/?"),
        ("(cd /etc/$X); rm y", "w y"),
        ("if a; then cd /etc/$X; fi; rm y", "w y@?"),
        ("find /etc -name x | xargs rm", "w /etc/**, w /etc/x"),
        ("find /etc ~ -print0 | xargs -0 rm -f", "w /etc/**, w ~/**, w /etc, w ~"),
        ("find /etc -name x | while read -r f; do rm $f; done", "w /etc/**, w /etc/x"),
        ("find /etc -print0 | while IFS= read -rd '' f; do rm \"$f\"; done", "w /etc/**, w /etc"),
        ("while read f; do rm \"$f\"; done < <(find /etc -name x)", "w /etc/**, w /etc/x"),
        ("while read f; do rm \"$f\"; done <<< \"$(find /etc -name x)\"", "w /etc/**, w /etc/x"),
        ("mapfile -t a < <(find /etc -name x); rm \"${a[@]}\"", "w /etc/**, w /etc/x"),
        ("a=($(find /etc -name x)); rm \"${a[@]}\"", "w /etc/**, w /etc/x"),
        ("read a b <<< '/etc /usr'; rm \"$b\"", "w /etc, w /usr"),
        ("read -p x a; rm \"$a\"", "w ?"),
        ("while read a; do rm \"$a\"; done < <(echo /etc; ls)", "w ?"),
        ("bash < <(echo 'rm /etc')", "w /etc"),
        ("fd -e o . /etc | xargs rm", "w ./**, w /etc/**"),
        ("ls -d /etc/* | xargs rm", "w /etc/?"),
        ("find | sort | head -n 5 | grep -v z | xargs rm", "w ./**"),
        ("find /etc -printf %f | xargs rm", "w ?"),
        ("find /etc | sed s/a/b/ | xargs rm", "w ?"),
        ("find /etc | xargs -I{} rm {}", "w /etc/**, w /etc"),
        ("find $X /etc | xargs rm", "w ?"),
        ("rm $(find /etc -name x)", "w /etc/**, w /etc/x"),
        ("echo a b | xargs rm", "w a, w b"),
        ("echo -r a | xargs rm", "w a"),
        ("echo -r a | xargs -n 1 rm", "w ?"),
        ("ls | xargs rm", "w ?"),
        ("echo /etc | xargs -I{} rm -rf {}", "w /etc"),
        ("printf '/etc\\n/usr\\n' | xargs -I% sh -c 'rm -rf %/x'", "w /etc/x, w /usr/x"),
        ("echo 'rm -rf /etc' | xargs -I{} bash -c {}", "w /etc"),
        ("echo / | xargs --replace bash -c 'rm -rf {}'", "w /"),
        ("echo / | xargs -i rm -rf", ""),
        ("seq 3 | xargs -I{} sh -c 'rm -rf /etc/{}'", "w /etc/?"),
        ("cat x | xargs -I{} rm -rf '/etc/a b/{}'", "r x, w /etc/a b/?"),
        ("find /etc -exec rm -rf '{} b' \\;", "w /etc/**, w /etc"),
        ("echo a | xargs -I{} --odd x rm -rf /etc", "w ?, w /etc"),
        ("find /etc | xargs -I{} sh -c 'cat {}; rm -rf /usr'", "r ?, w /usr"),
        ("find . -exec sh -c 'rm -rf /etc/{}' \\;", "w /etc/?"),
        ("echo /etc | parallel rm -rf", "w /etc"),
        ("cat > f <<'E'\nbash <<'E'\nls\nE\nX=rm; $X -rf /etc\nE\n", "w f, w /etc"),
        ("printf '\\162\\x6d %b' '\\x2fetc' | bash", "w /etc"),
        ("printf '%s%%%s' 'rm ' a | bash", "w %a"),
        ("echo 'rm -rf /etc' | parallel", "w /etc"),
        ("echo 'rm -rf /etc' | parallel bash -c {}", "w /etc"),
        ("find . -name .env -exec cat {} \\;", "r ./**, r ./.env"),
        ("find ~/.ssh -exec sh -c 'cat \"$1\"' _ {} \\;", "r ~/.ssh/**, r ~/.ssh"),
        ("find / -exec sh -c 'rm -rf \"$0\"' {} \\;", "w /**, w /"),
        ("cd /etc/foo*; rm y", "w /etc/foo?"),
        ("cd *; rm y", "w y@?"),
        ("CDPATH=/ cd etc; rm y", "w y@?"),
        ("CDPATH=$X; cd etc; rm y", "w y@?"),
        ("CDPATH=/; cd ./etc; rm y", "w y@./etc"),
        ("rm -rf /$X", "w /?, w /"),
        ("rm -rf \"${HOME:?}\"/x", "w ~/x"),
        ("rm -r$()f /", "w /"),
        ("seq 3 | parallel rm -rf /etc/{.}", "w /etc/?"),
        ("patch -d /etc < f", "r f, w ./?@/etc"),
        ("chroot / rm a", "w a"),
        ("HOME=/etc; cd; rm y", "w y@/etc"),
        ("HOME=/etc cd; rm y", "w y@/etc"),
        ("HOME=/etc; rm ~/y", "w /etc/y"),
        ("HOME=$X; rm ~/y", "w ~/y, w ?"),
        ("read HOME; cd; rm y", "w y@?"),
        ("TMPDIR=$(cat f); rm -rf $TMPDIR/x", "r f, w ?"),
        ("PWD=$X; rm $PWD/x", "w ?"),
        ("T=$(TMPDIR=/etc mktemp -d); rm $T", "w ?"),
        ("T=$(mktemp -d -p /etc); rm $T", "w ?"),
        ("chroot /mnt rm a", ""),
    ] {
        let found = paths(&facts_of_line(line)).join(", ");
        if found != expected {
            misses.push(format!("{line}: {found}"));
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}
