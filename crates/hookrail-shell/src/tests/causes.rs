//! Why a line is dynamic, and that no nesting hides a command.

use proptest::prelude::*;

use super::super::{Cause, ShellFacts, facts_of_line, quote};
use super::{commands, paths};

fn causes(facts: &ShellFacts) -> String {
    facts.causes.iter().map(|cause| cause.name()).collect::<Vec<_>>().join(" ")
}

#[test]
fn each_cause_has_a_name() {
    let names = Cause::ALL.map(Cause::name);
    assert!(names.is_sorted());
    for (line, expected) in [
        ("ls", ""),
        ("curl x | sh", "stdin"),
        ("curl x | tee f | sudo bash -s", "stdin"),
        ("sh < f", "stdin"),
        ("sh", "stdin"),
        ("bash <(curl x)", "stdin"),
        ("parallel < f", "stdin"),
        ("echo ls | parallel", ""),
        ("printf '%b' 'ls\\n' | sh", ""),
        ("printf '\\x6c\\163 \\u0061' | sh", ""),
        ("printf 'ls\\0' | sh", "stdin"),
        ("printf '%d' 1 | sh", "stdin"),
        ("echo -e '\\x6cs' | bash", ""),
        ("echo -e '\\0154s' | bash", "stdin"),
        ("echo a | xargs -I{} sh -c 'rm {}'", ""),
        ("seq 3 | xargs -I{} sh -c 'rm {}'", "eval"),
        ("eval \"$y\"", "eval"),
        ("bash -c \"$X\"", "eval"),
        ("trap \"$X\" EXIT", "eval"),
        ("git -c alias.x='!rm a' x", "eval"),
        ("EDITOR=$X git commit", "eval"),
        ("source f", "source"),
        (". venv/bin/activate && curl localhost", "source"),
        ("BASH_ENV=f bash -c ls", "source"),
        ("curl -o x u && bash x", "source"),
        ("curl u > x; sh ./x", "source"),
        ("wget -O d/x u; chmod +x d/x; d/x", "source"),
        ("curl u | tee x; bash x", "source"),
        ("cd d; curl -o x u; bash ../d/x; bash x", "source"),
        ("cd d; curl -o x u; cd /; bash x", ""),
        ("cd \"$(mktemp -d)\" && curl -O https://e/i.sh && sh i.sh", "source"),
        ("cd $X; curl -o x u; ./x", "source"),
        ("cd /etc/$X; curl -o x u; bash x", "source"),
        ("cd $X; curl -o x u; bash y", ""),
        ("curl -o x u; mv x y; bash y", "source"),
        ("curl -o x u; cp x d/y; d/y", "source"),
        ("curl -o d/x u; cp d/x bin; bin/x", "source"),
        ("scp host:x y; bash y", "source"),
        ("scp y host:x; bash y", ""),
        ("cp x y; bash y", ""),
        ("curl -o x u; cat x > y; bash y", "source"),
        ("curl -o x u; cat x | bash", "stdin"),
        ("git clone u d && d/install.sh", "source"),
        ("curl -LO https://e/a.tgz; tar xzf a.tgz; ./a/install.sh", ""),
        ("curl u > f; echo a >> f; sh f", "source"),
        ("curl -o f u; tee -a f < /dev/null; sh f", "source"),
        ("echo 'rm a' | tee f; echo b | tee -a f; sh f", "source"),
        ("sh -- \"$F\"", "source"),
        ("bash /dev/fd/3 3<<< 'rm a'", "stdin"),
        ("bash /dev/fd/3 3<<< 'rm a' <<< ls", "stdin"),
        ("curl u | xargs -a f -I % sh", "stdin"),
        ("xargs -o -I % sh", "stdin"),
        ("xargs -I % sh", ""),
        ("bash f; ./f", ""),
        ("$X a", "variable"),
        ("r* a", "variable"),
        ("'a", "syntax"),
        ("if a", "syntax"),
        ("eval \"$(ssh-agent -s)\" && curl u", "eval"),
        ("f() { f; rm a; }; f", ""),
        (":(){ :|:& };:", ""),
        ("while read l; do a=$b; b=$l; done", ""),
        ("for i in {1..100000}; do echo $i; done", ""),
        ("touch f{1..10000}.txt", ""),
        ("echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "bound"),
    ] {
        let facts = facts_of_line(line);
        assert_eq!(causes(&facts), expected, "{line}: {facts:?}");
    }
}

#[test]
fn text_that_the_line_shows_is_read() {
    for (line, command) in [
        ("echo 'rm -rf /' | bash", "rm -rf /"),
        ("echo rm -rf / | sudo sh", "rm -rf /"),
        ("echo -e 'ls\\nrm a' | bash", "rm a"),
        ("printf 'rm %s\\n' a b | sh", "rm b"),
        ("printf '%s' 'rm a' | sh", "rm a"),
        ("cat <<E | sh\nrm a\nE", "rm a"),
        ("cat <<E | tee log | sh\nrm a\nE", "rm a"),
        ("bash /dev/stdin <<< 'rm a'", "rm a"),
        ("cat > f.sh <<E\nrm a\nE\nbash f.sh", "rm a"),
        ("echo 'rm a' > f; chmod +x f; ./f", "rm a"),
        ("echo 'rm a' > f; echo b >> f; sh f", "rm a"),
        ("echo 'rm a' &>> f; echo b &>> f; sh f", "rm a"),
        ("printf rm > f; printf ' a' >> f; sh f", "rm a"),
        ("echo 'rm a' >& f; sh f", "rm a"),
        ("echo 'rm a' > d/../f; sh f", "rm a"),
        ("cd d; echo 'rm a' > ../f; cd ..; sh f", "rm a"),
        ("echo 'rm a' 1<> f; sh f", "rm a"),
        ("eval \"$(echo rm a)\"", "rm a"),
        ("X=$(printf rm); $X a", "rm a"),
        ("rm $(echo a b)", "rm a b"),
        ("for c in ls rm; do $c a; done", "rm a"),
        ("for d in /etc /usr; do rm -rf \"$d\"; done", "rm -rf /usr"),
        ("for f; do rm $f; done", "rm ?"),
        ("set -- a b; for f; do rm $f; done", "rm b"),
    ] {
        let facts = facts_of_line(line);
        assert!(commands(&facts).iter().any(|found| found == command), "{line}: {facts:?}");
        assert_eq!(causes(&facts), "", "{line}: {facts:?}");
    }
}

#[test]
fn paths_have_known_beginnings() {
    for (line, expected) in [
        ("for d in /etc /usr; do rm -rf \"$d\"; done", "w /etc, w /usr"),
        ("for f in *.o ~/x; do rm $f; done", "w *.o, w ~/x"),
        ("D=~/x; rm -rf $D", "w ~/x"),
        ("D=\"$HOME/x\"; rm -rf \"$D/y\"", "w ~/x/y"),
        ("cd $HOME && rm -rf y", "w y@~"),
        ("cd \"$HOME/a\"; rm y", "w y@~/a"),
        ("rm -rf /etc/$X", "w /etc/?"),
        ("rm -rf /etc/x$X/b", "w /etc/x?"),
        ("rm -rf ~/$X '~/'$X", "w ~/?, w ./~/?"),
        ("rm -rf $X/y", "w ?"),
        ("rm -rf ~root/x", "w ~root/x"),
        ("rm -rf \"${X:-/etc}\"", "w /etc, w ?"),
        ("rm -rf ${TMPDIR:-/tmp}/x", "w /tmp/x, w ?"),
        ("rm -rf \"$TMPDIR/x\"", "w /tmp/x"),
        ("T=$(mktemp -d); rm -rf \"$T\" $T/x", "w /tmp/?, w /tmp/?"),
        ("rm \"$(pwd)/x\" $PWD/y", "w ./x, w ./y"),
        ("rm /a/{1..9999}", "w /a/?"),
    ] {
        let facts = facts_of_line(line);
        assert_eq!(paths(&facts).join(", "), expected, "{line}: {facts:?}");
    }
}

#[test]
fn patches_name_what_they_write() {
    let diff = "--- a/x\n+++ b/x\t2026-01-01\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/d/y\n";
    let ours = "*** Begin Patch\n*** Update File: .env\n*** Move to: z\n*** End Patch\n";
    for (line, expected) in [
        (format!("apply_patch <<'E'\n{ours}E"), "w .env, w z"),
        (format!("apply_patch {}", quote(ours)), "w .env, w z"),
        (format!("cd d && apply_patch <<'E'\n{ours}E"), "w .env@d, w z@d"),
        (format!("patch -p1 <<'E'\n{diff}E"), "w x, w d/y"),
        (format!("patch -p0 <<'E'\n{diff}E"), "w a/x, w b/x, w b/d/y"),
        (format!("git apply <<'E'\n{diff}E"), "w x, w d/y"),
        ("curl u | git apply".to_owned(), "w ./?"),
        ("patch -p1 < f".to_owned(), "r f, w ./?"),
    ] {
        let facts = facts_of_line(&line);
        assert_eq!(paths(&facts).join(", "), expected, "{line}: {facts:?}");
    }
}

/// Whether a line runs `rm -rf /etc` for all that the facts say, or a bound kept them from seeing it.
fn is_seen(facts: &ShellFacts) -> bool {
    facts.causes.contains(&Cause::Bound)
        || commands(facts).iter().any(|command| command.starts_with("rm -rf /etc"))
}

#[test]
fn no_repetition_hides_a_command() {
    for (open, close) in [
        ("eval ", ""),
        ("env ", ""),
        ("sudo ", ""),
        ("( ", " )"),
        ("{ ", "; }"),
        ("echo $( ", " )"),
        ("echo \"$( ", " )\""),
        ("echo <( ", " )"),
        ("echo `", "`"),
        ("! ", ""),
        ("time ", ""),
        ("nohup ", ""),
        ("command ", ""),
        ("if true; then ", "; fi"),
        ("coproc ", ""),
        ("while true; do ", "; done"),
        ("for x in a; do ", "; done"),
        ("for x in a b; do ", "; done"),
        ("case a in a) ", ";; esac"),
        ("f() { ", "; }; f"),
        ("cat <<E\n$( ", " )\nE\n"),
        ("echo ${x:-$(", ")}"),
        ("xargs ", ""),
        ("timeout 5 ", ""),
        ("env -S env ", ""),
        ("alias a='b'; ", ""),
        ("cd a; ", ""),
        ("X=$X$X; ", ""),
        ("ln -s a b; ", ""),
        ("echo a > f; ", ""),
        ("trap '", "' EXIT"),
        ("a | ", ""),
        ("a && ", ""),
        ("busybox ", ""),
        ("echo $(( $( ", " ) ))"),
    ] {
        for count in [1, 3, 12, 13, 20, 38, 39, 40, 41, 80, 1200] {
            let line = format!("{}rm -rf /etc{}", open.repeat(count), close.repeat(count));
            // In backticks and quotes only the first level nests.
            let is_text = matches!(open, "echo `" | "trap '") && count > 1;
            let facts = facts_of_line(&line);
            assert!(is_text || is_seen(&facts), "{open} × {count}: {facts:?}");
        }
    }
    let functions: Vec<_> = (0..60).map(|n| format!("f{n}() {{ f{}; f{}; }};", n + 1, n + 1)).collect();
    let aliases: Vec<_> = (0..60).map(|n| format!("alias a{n}=a{}\n", n + 1)).collect();
    let long = "a".repeat(70_000);
    for line in [
        format!("{} f60() {{ rm -rf /etc; }}; f0", functions.concat()),
        format!("{}alias a60='rm -rf /etc'\na0", aliases.concat()),
        format!("X=rm; X=\"$X -rf /etc #{long}\"; eval \"$X\""),
        format!("set -- rm -rf /etc {long}; \"$1\" \"$2\" \"$3\""),
        "{rm,a}{,b}{,c}{,d}{,e}{,f}{,g}{,h}{,i}{,j} -rf /etc".to_owned(),
    ] {
        let facts = facts_of_line(&line);
        assert!(is_seen(&facts), "{}: {:?}", line.get(..200).unwrap_or(&line), facts.causes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_nesting_hides_a_command(layers in proptest::collection::vec(0_usize..16, 0..60)) {
        let mut line = "rm -rf /etc".to_owned();
        let mut quoted = 0;
        for layer in layers {
            let is_quoted = layer < 5;
            quoted += usize::from(is_quoted);
            if is_quoted && quoted > 6 {
                continue;
            }
            line = match layer {
                0 => format!("eval {}", quote(&line)),
                1 => format!("bash -c {}", quote(&line)),
                2 => format!("sudo env sh -c {}", quote(&line)),
                3 => format!("trap {} EXIT", quote(&line)),
                4 => format!("printf %s {} | sh", quote(&line)),
                5 => format!("( {line}\n)"),
                6 => format!("echo \"$( {line}\n)\""),
                7 => format!("{{ {line}\n}}"),
                8 => format!("if a; then {line}\nfi"),
                9 => format!("for x in a b; do {line}\ndone"),
                10 => format!("f() {{ {line}\n}}; f"),
                11 => format!("a && {{ {line}\n}}"),
                12 => format!("cat <( {line}\n)"),
                13 => format!("while a; do {line}\ndone"),
                14 => format!("case x in *) {line}\n;; esac"),
                _ => format!("X=a; a | {{ {line}\n}} > f"),
            };
        }
        let facts = facts_of_line(&line);
        prop_assert!(is_seen(&facts), "{}: {:?}", line, facts.causes);
    }
}

/// Words of programs that only the book knows.
#[test]
fn files_and_folders_of_programs_are_told() {
    let mut wrong = Vec::new();
    for (line, expected) in [
        ("find / -exec rm -rf {} +", "w /**, w /"),
        ("find ~/.ssh -exec cat {} \\;", "r ~/.ssh/**, r ~/.ssh"),
        ("find a b -exec rm {} \\;", "w a/**, w b/**, w a, w b"),
        ("find $HOME -delete; find -delete", "w ~, w ."),
        ("cat x | xargs -I{} rm -rf /etc/{}", "r x, w /etc/?"),
        ("fd -e o . src -x rm", "w src/**"),
        ("fd x -X rm -f {}", "w ./**"),
        ("parallel 'rm -rf {}' ::: a b", "w a, w b"),
        ("parallel rm ::: /etc", "w /etc"),
        ("env -C /etc rm -rf x; sudo -D /etc rm y", "w x@/etc, w y@/etc"),
        ("sudo --chdir=/etc/$X rm y", "w /etc/?"),
        ("cd /etc; curl -O https://h/f?x=1", "w f@/etc"),
        ("curl --output=/etc/$X u", "w /etc/?"),
        ("git --work-tree=/etc checkout -- x", "w x@/etc"),
        ("git checkout main; git checkout HEAD f; git checkout x -- g", "w f, w g"),
        ("patch -d d -p0 g; patch -o h g", "w g@d, w h, r g"),
        ("npm --prefix d install x; pip install -t e y", "w .@d, w e"),
        ("docker cp c:/x y; docker run -v /etc:/e:ro -v ~/a:/b i ls", "w y, r /etc, r ~/a, w ~/a"),
        ("docker run --env-file e i ls; docker exec --env-file f c ls", "u e, u f"),
        ("tar xf a; tar -xC d -f /b", "r a, w ., r /b, w .@d"),
        ("tar cf a b c; tar tf d", "w a, r b, r c, r d"),
        ("7z a x.7z y; 7z x z.7z", "w x.7z, r y, w ., r z.7z"),
        ("ag x a; comm b c; join d e; fold f; uniq g", "r a, r b, r c, r d, r e, r f, r g"),
        ("dd of=~/x if=/etc/$Y", "r /etc/?, w ~/x"),
        ("bash -c 'cat \"$0\" \"$1\"' .env b", "r .env, r b"),
        ("make -C d; gcc -o x y.c", "w x, r y.c"),
        ("scp h:a .; rsync -a x/ h:y", "w ., r x/"),
        ("unheard-of a/b", "w ?"),
        ("unheard-of a https://h/x --y=/z", ""),
        ("sponge f; python -m venv d; git worktree add ../w", "w f, w d, w ../w"),
    ] {
        let facts = facts_of_line(line);
        if paths(&facts).join(", ") != expected {
            wrong.push(format!("{line}: {}, not {expected}", paths(&facts).join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn launchers_of_the_book_are_looked_through() {
    let mut wrong = Vec::new();
    for line in [
        "fd -e o -x rm a",
        "socat TCP-LISTEN:1 EXEC:'rm a'",
        "gtimeout 5 rm a",
        "grm a",
        "arch -x86_64 rm a",
        "caffeinate -s rm a",
        "nix develop -c rm a",
        "nix-shell --run 'rm a'",
        "cross-env A=b rm a",
        "firejail --net=none rm a",
        "bwrap --ro-bind / / rm a",
        "kubectl run p --image=i -- rm a",
        "watchexec -e rs -- rm a",
        "tini -- rm a",
        "fish -c 'rm a'",
        "ksh93 -c 'rm a'",
        "npm exec --call 'rm a'",
        "npm exec -- rm a",
        "podman exec -l rm a",
        "echo '* * * * * rm a' | crontab -",
        "git clone -c core.sshCommand='rm a' u",
        "git rebase -x 'rm a'",
        "git difftool -x 'rm a'",
        "git ls-remote --exec='rm a' u",
        "git fetch 'ext::rm a'",
        "scp -3oProxyCommand='rm a' x h:y",
        "exec command rm a",
        "xargs -I x command rm a",
        "ionice -c3 -- rm a",
        "nice -10 rm a",
        "command -p rm a",
    ] {
        let facts = facts_of_line(line);
        let runs = commands(&facts).iter().any(|command| command.ends_with("rm a") && command.len() <= 16);
        let lists_builtin = facts.programs.contains("command");
        if !runs || facts.is_dynamic() || lists_builtin {
            wrong.push(format!("{line}: {:?} {:?}", commands(&facts), facts.causes));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A shell that only checks its code runs nothing.
    assert_eq!(commands(&facts_of_line("bash -nc 'rm a'")), ["bash -nc rm a"]);
    // The user's shell is not known, but what it is given is.
    let facts = facts_of_line("$SHELL -c 'rm a'");
    assert!(facts.programs.contains("rm") && facts.is_dynamic(), "{facts:?}");
}

#[test]
fn code_of_other_languages_shows_some_files_and_commands() {
    for (line, shown, expected) in [
        ("sed -n 'w /etc/x' f", "", "w /etc/x, r f"),
        ("sed 's/a/b/w /etc/x' f", "", "w /etc/x, r f"),
        ("sed -e '/x/,/y/{s|a|/|g;r .env' -e '}' f", "", "r .env, r f"),
        ("sed '1e rm a' f", "rm a", "w a, r f"),
        ("sed -i '$!N;s/[a-z]*e/w x/g;y/we/ew/' f", "", "w f"),
        ("sed 'a e rm a' f", "", "r f"),
        ("vim -c '!rm a' f", "rm a", "w a, r f, w f"),
        ("vim -c 'wq!' f", "", "r f, w f"),
        ("python3 -c 'print(open(\".env\").read())'", "", "r .env"),
        ("python3 - <<E\nopen('a/b.txt')\nprint('it is. so')\nE", "", "r a/b.txt"),
        ("node -p 'require(\"fs\").readFileSync(\".env\", \"utf8\")'", "", "r .env"),
        ("awk 'BEGIN { getline l < \".env\" }'", "", "r .env"),
        ("ruby -e 'puts File.read(\"~/.ssh/id_rsa\")'", "", "r ~/.ssh/id_rsa"),
        ("git show HEAD:a/.env", "", "r a/.env"),
        ("cmake -E rm -rf a", "rm -rf a", "w a"),
        ("grm -rf a", "rm -rf a", "w a"),
        ("gfind a -delete", "find a -delete", "w a"),
        ("fish --command 'rm a'", "rm a", "w a"),
        ("echo x | sudo tee f; sh f", "", "w f"),
    ] {
        let facts = facts_of_line(line);
        assert_eq!(paths(&facts).join(", "), expected, "{line}: {facts:?}");
        assert!(shown.is_empty() || commands(&facts).iter().any(|told| told == shown), "{line}: {facts:?}");
    }
    for line in [
        "sed 's/.*/rm a/e' f",
        "sed e f",
        "make -f - <<< 'x:;rm a'",
        "make --eval 'x:;rm a'",
        "echo x | sudo tee f; sh f",
    ] {
        assert!(facts_of_line(line).is_dynamic(), "{line}");
    }
}
