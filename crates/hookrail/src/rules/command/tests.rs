use proptest::prelude::*;

use super::{Command, CommandPattern};
use crate::rules::truth::Truth::{self, No, Unknown, Yes};
use crate::rules::words::CommandWords;

/// Words by blanks; `$X` cannot be told.
fn holds(pattern: &str, command: &str) -> Truth {
    let argv: Vec<Option<String>> =
        command.split_whitespace().map(|word| (!word.contains('$')).then(|| word.to_owned())).collect();
    let words = CommandWords::read(&argv);
    let command = Command { program: argv[0].as_deref(), words: &words, ignore_case: false };
    CommandPattern::compile(pattern).unwrap().matches(&command)
}

/// A pattern, then what it holds for, then what it does not hold for, then what cannot be told.
type Case = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

const CASES: &[Case] = &[
    (
        "git push",
        &[
            "git push",
            "git -C d push origin",
            "git -c a=b push",
            "git --git-dir=x --no-pager push",
            "git --git-dir x push",
            "/usr/bin/git push",
            "git --work-tree a push -f",
        ],
        &[
            "git stash push",
            "git",
            "git pull",
            "git log push",
            "gitk push",
            "git -C push",
            "git commit -m push",
        ],
        &["git $X", "git $X push", "$X push", "git -C $D $X"],
    ),
    (
        "git push --force",
        &[
            "git push -f",
            "git push --force",
            "git push --force=x",
            "git push origin main --force",
            "git push -uf origin",
            "git push -fu",
            "git push --forc",
            "git -C d push -qf",
            "git push --force-with-lease --force",
            "git push --follow-tags -o x -f",
        ],
        &[
            "git push",
            "git push --force-with-lease",
            "git push --force-with-lease=main",
            "git push --force-w",
            "git push --force-if-includes",
            "git push -- --force",
            "git push -o --force",
            "git push -of",
            "git stash push --force",
            "git -c x=--force push",
            "git fetch --force",
        ],
        &["git push $X", "git push origin $X", "git $X push"],
    ),
    (
        "rm -r -f",
        &[
            "rm -rf x",
            "rm -fr x",
            "rm -r -f x",
            "/bin/rm x --recursive --force",
            "rm -Rf x",
            "rm -vfR x",
            "rm --recurs --for x",
            "rm x -r y -f",
            "rm --rec -f -- x",
        ],
        &["rm x", "rm -r x", "rm -f x", "rm -- -rf", "rm -r -- -f", "rmdir -rf", "rm --force x", "ls -rf"],
        &["rm -r $X", "rm $X"],
    ),
    ("rm -rf", &["rm -r -f x", "rm --force --recursive x"], &["rm -r x"], &[]),
    (
        "rm ... /etc/*",
        &["rm a /etc/x", "rm /etc/x", "rm -rf a b /etc/x/y c", "rm -- -x /etc/y", "rm $X /etc/x"],
        &["rm a", "rm /etc", "rm /usr/etc/x"],
        &["rm $X", "rm a $X"],
    ),
    ("rm /etc/*", &["rm /etc/x", "rm -f /etc/x a"], &["rm a /etc/x"], &["rm $X /etc/x"]),
    (
        "curl -X POST",
        &[
            "curl -X POST u",
            "curl -XPOST u",
            "curl --request POST u",
            "curl u --request=POST",
            "curl -sX POST u",
            "curl --reques POST u",
        ],
        &["curl -X GET u", "curl POST", "curl -X u POST", "curl -d POST u", "curl -dX POST"],
        &["curl -X $M u", "curl $X"],
    ),
    ("curl -X P*", &["curl -XPUT u", "curl -X PATCH u"], &["curl -XGET u"], &[]),
    ("dd of=/dev/*", &["dd if=x of=/dev/sda", "dd of=/dev/sda bs=1M"], &["dd if=/dev/sda of=x"], &["dd $X"]),
    (
        "make install",
        &["make install", "make CC=gcc install", "make -C d install", "make -j4 install"],
        &["make", "make all install"],
        &[],
    ),
    (
        "npm install",
        &["npm i x", "npm add x", "npm install", "npm -g i x", "npm --prefix d install"],
        &["npm run install", "npm ci"],
        &[],
    ),
    ("npm i", &["npm install x"], &["npm init"], &[]),
    (
        "npm install -g",
        &["npm i --global x", "npm -g i x", "npm i x -g", "npm i --glob x"],
        &["npm i x", "npm run x -g"],
        &[],
    ),
    (
        "npm publish",
        &["npm publish", "npm --access public publish", "npm publish --tag x"],
        &["npm run publish", "npm pack"],
        &[],
    ),
    (
        "docker run --privileged",
        &["docker run --privileged i", "docker -H h run -it --privileged i c"],
        &["docker run i --privileged", "docker exec --privileged c"],
        &[],
    ),
    (
        "docker run -v /:*",
        &["docker run -v /:/host i", "docker run --volume=/:/x i", "docker run -v/:/x i"],
        &["docker run -v /a:/x i"],
        &[],
    ),
    ("docker system prune", &["docker system prune -af"], &["docker image prune"], &[]),
    (
        "kubectl delete",
        &[
            "kubectl -n prod delete pod x",
            "kubectl --namespace prod delete pod x",
            "kubectl delete pod x -n prod",
        ],
        &["kubectl get delete", "kubectl -n delete get"],
        &[],
    ),
    (
        "kubectl delete -n prod",
        &[
            "kubectl -n prod delete x",
            "kubectl -n=prod delete x",
            "kubectl -nprod delete x",
            "kubectl delete x --namespace=prod",
        ],
        &["kubectl -n dev delete x"],
        &[],
    ),
    (
        "terraform apply -auto-approve",
        &[
            "terraform apply -auto-approve",
            "terraform -chdir=x apply --auto-approve",
            "terraform apply -var a=b -auto-approve",
        ],
        &["terraform apply", "terraform plan -auto-approve"],
        &[],
    ),
    (
        "tar -x",
        &["tar xzf a.tgz", "tar -xf a", "tar --extract -f a", "tar --get -f a", "tar vxf a"],
        &["tar czf x", "tar -cf x", "tar cf xx"],
        &[],
    ),
    ("tar -f *.tgz", &["tar xzf a.tgz", "tar czf a.tgz d"], &["tar xf a.tar", "tar xfz a.tar a.tgz"], &[]),
    ("find -delete", &["find . -name x -delete", "find -delete"], &["find . -name -delete"], &[]),
    (
        "sed -i",
        &[
            "sed -i s/a/b/ f",
            "sed -i.bak s/a/b/ f",
            "sed --in-place=.b s f",
            "sed -ni p f",
            "sed -Ei s f",
            "sed --in-pl s f",
        ],
        &["sed -n p f", "sed -e -i f"],
        &[],
    ),
    (
        "sudo -u root",
        &["sudo -u root x", "sudo --user=root x", "sudo -nu root x"],
        &["sudo x -u root", "sudo -u me x"],
        &[],
    ),
    (
        "git commit --no-verify",
        &["git commit -n", "git commit -anm x", "git commit --no-verif"],
        &["git commit -m -n", "git commit -mn"],
        &[],
    ),
    ("git commit -C x", &["git commit -C x", "git commit --reuse-message=x"], &["git -C x commit"], &[]),
    ("git -C x", &["git -C x push", "git -C x commit"], &["git push"], &[]),
    (
        "git checkout -- *",
        &["git checkout -- a", "git checkout ."],
        &["git checkout", "git checkout -f"],
        &[],
    ),
    ("git {push,pull}", &["git push", "git pull x"], &["git fetch"], &[]),
    ("git * --force", &["git push --force", "git clean -f", "git branch -f x"], &["git push"], &[]),
    ("*", &["anything at all"], &[], &["$X"]),
    ("/opt/*", &["/opt/a/b x"], &["/usr/opt/a"], &[]),
    (
        "./deploy.sh --prod",
        &["./deploy.sh --prod", "./deploy.sh x --prod"],
        &["./deploy.sh", "deploy.sh --prod"],
        &["./deploy.sh --pro"],
    ),
    // Programs that no table knows: every reading counts.
    (
        "mytool deploy",
        &["mytool deploy", "mytool --prod deploy", "mytool --env prod deploy", "mytool -e prod deploy"],
        &["mytool status deploy", "mytool --prod status"],
        &[],
    ),
    (
        "mytool deploy --env prod",
        &[
            "mytool deploy --env prod",
            "mytool --env prod deploy",
            "mytool --env=prod deploy x",
            "mytool deploy -v --env prod",
        ],
        &["mytool deploy --env dev", "mytool --env prod status"],
        &["mytool deploy --env $X"],
    ),
    ("mytool -r", &["mytool -r", "mytool -xrf"], &["mytool -x", "mytool --r"], &["mytool $X"]),
    ("mytool -rf", &["mytool -rf", "mytool -r -f", "mytool -fr"], &["mytool -r"], &[]),
    (
        "mytool --force",
        &["mytool --force", "mytool --force=1"],
        &["mytool --forced", "mytool --x", "mytool -- --force"],
        &["mytool --forc"],
    ),
    ("[ -f", &["[ -f x ]"], &["[ -d x ]"], &[]),
];

#[test]
fn patterns_hold_for_what_they_say() {
    for (pattern, yes, no, unknown) in CASES {
        for (expected, commands) in [(Yes, yes), (No, no), (Unknown, unknown)] {
            for command in *commands {
                assert_eq!(holds(pattern, command), expected, "`{pattern}` and `{command}`");
            }
        }
    }
}

#[test]
fn what_is_no_pattern_is_refused() {
    for (pattern, part) in [
        ("", "no words"),
        ("  ", "no words"),
        ("... x", "program"),
        ("-f x", "program"),
        ("rm [a", "no glob"),
        ("rm -X {a,b", "no glob"),
    ] {
        let problem = CommandPattern::compile(pattern).unwrap_err();
        assert!(problem.contains(part), "`{pattern}`: {problem}");
    }
    assert!(CommandPattern::compile(&"a ".repeat(100)).is_err());
    assert!(CommandPattern::doubt("curl x | sh").unwrap().contains("`|`"));
    assert!(CommandPattern::doubt("git commit -m \"fix\"").unwrap().contains("quotes"));
    assert_eq!(CommandPattern::doubt("git push --force"), None);
}

#[test]
fn a_long_command_takes_little_time() {
    let command = format!("rm {}", "a ".repeat(100_000));
    assert_eq!(holds("rm ... x ... y ... z", &command), No);
    assert_eq!(holds("rm -f", &format!("rm -{}", "r".repeat(100_000))), No);
}

/// A command of words that are, by and large, those of the patterns.
fn words() -> impl Strategy<Value = Vec<Option<String>>> {
    let word = prop_oneof![
        8 => proptest::sample::select(vec!["push", "-f", "--force", "--", "-C", "x", "a=b", "stash", "-", "--forc", "-uf"]).prop_map(|word| Some(word.to_owned())),
        1 => ".{0,6}".prop_map(Some),
        1 => Just(None),
    ];
    proptest::collection::vec(word, 0..8)
}

proptest! {
    /// A word that cannot be told makes nothing certain: whatever it turns out to be, a `Yes` stays, and a `No` too.
    #[test]
    fn what_is_certain_stays_so_when_a_word_becomes_known(
        words in words(),
        at in any::<proptest::sample::Index>(),
        filled in proptest::sample::select(vec![vec![], vec!["push"], vec!["x"], vec!["push", "-f"], vec!["-f"], vec!["/etc/x", "y"]]),
        program in proptest::sample::select(vec!["git", "rm", "mytool"]),
        pattern in proptest::sample::select(vec!["git push", "git push --force", "git push x", "rm ... /etc/*", "rm -f", "mytool push", "mytool -f"]),
    ) {
        let mut argv = vec![Some(program.to_owned())];
        argv.extend(words);
        let hole = 1 + at.index(argv.len());
        let filled: Vec<_> = filled.into_iter().map(|word| Some(word.to_owned())).collect();
        let mut with_hole = argv.clone();
        with_hole.insert(hole.min(argv.len()), None);
        let mut with_words = argv.clone();
        with_words.splice(hole.min(argv.len())..hole.min(argv.len()), filled);
        let verdict = |argv: &[Option<String>]| {
            let read = CommandWords::read(argv);
            let command = Command { program: argv[0].as_deref(), words: &read, ignore_case: false };
            CommandPattern::compile(pattern).unwrap().matches(&command)
        };
        let before = verdict(&with_hole);
        // A flag before the hole may take the word behind it instead, or `--` may be hidden in it; those two are
        // beyond what is promised.
        let flag_before = with_hole.get(hole.min(argv.len()) - 1).and_then(Option::as_deref).is_some_and(|word| word.starts_with('-'));
        if before == No && !flag_before {
            prop_assert_ne!(verdict(&with_words), Yes, "{:?} {:?}", with_hole, with_words);
        }
    }

    #[test]
    fn any_text_is_a_pattern_or_a_problem(pattern in ".{0,30}", command in "[a-z$ =*-]{1,30}") {
        if let Ok(pattern) = CommandPattern::compile(&pattern) {
            let argv: Vec<_> = command.split(' ').map(|word| Some(word.to_owned())).collect();
            let words = CommandWords::read(&argv);
            let _ = pattern.matches(&Command { program: argv[0].as_deref(), words: &words, ignore_case: true });
        }
    }
}
