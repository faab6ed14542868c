use std::os::unix::ffi::OsStringExt as _;

use super::*;

fn variables(list: &[(&str, &str)]) -> Vec<EnvironmentVariable> {
    list.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

fn names(environment: &[EnvironmentVariable]) -> Vec<String> {
    environment.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect()
}

#[test]
fn patterns_match_whole_names_without_case() {
    for (pattern, name, expected) in [
        ("*_TOKEN", "GH_TOKEN", true),
        ("*_TOKEN", "gh_token", true),
        ("*_TOKEN", "TOKEN", false),
        ("*_TOKEN", "GH_TOKENS", false),
        ("*PASSWORD*", "PGPASSWORD", true),
        ("*PASSWORD*", "PASSWORD", true),
        ("A*B*C", "AxBBxC", true),
        ("A*B*C", "AxCxB", false),
        ("A*A", "A", false),
        ("A", "A", true),
        ("A", "AB", false),
        ("*", "", true),
        ("**", "anything", true),
        ("", "", true),
        ("", "a", false),
    ] {
        assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
    }
}

#[test]
fn redaction_is_off_by_default_and_removes_what_looks_like_a_credential() {
    let parent = variables(&[
        ("PATH", "/bin"),
        ("GH_TOKEN", "1"),
        ("GEMINI_API_KEY", "2"),
        ("AWS_SECRET_ACCESS_KEY", "3"),
        ("AWS_ACCESS_KEY_ID", "4"),
        ("PGPASSWORD", "5"),
        ("SSH_AUTH_SOCK", "/s"),
        ("KEYBOARD", "de"),
        ("MY_PATH", "x"),
        ("app_config__auth", "6"),
        ("CI_PAT", "7"),
        ("CUSTOM", "8"),
        ("INTERNAL_A", "9"),
        ("INTERNAL_TOKEN", "10"),
    ]);
    let all = inherited(parent.clone(), &Redaction::default());
    assert_eq!(names(&all).len(), parent.len(), "off by default");
    let redaction = Redaction {
        enabled: Some(true),
        allowed: vec!["gemini_api_key".to_owned(), "INTERNAL_TOKEN".to_owned()],
        blocked: vec!["CUSTOM".to_owned(), "INTERNAL_*".to_owned()],
    };
    let redacted = inherited(parent.clone(), &redaction);
    assert_eq!(
        names(&redacted),
        ["PATH", "GEMINI_API_KEY", "SSH_AUTH_SOCK", "KEYBOARD", "MY_PATH", "INTERNAL_TOKEN"]
    );
    let disabled = inherited(parent.clone(), &Redaction { enabled: Some(false), ..redaction });
    assert_eq!(names(&disabled).len(), parent.len());
}

#[test]
fn redaction_knows_credentials_by_name_and_by_value() {
    let redaction = Redaction { enabled: Some(true), ..Redaction::default() };
    let secrets = [
        ("PGPASS", "1"),
        ("MYSQL_PWD", "1"),
        ("REDIS_PWD", "1"),
        ("SSHPASS", "1"),
        ("DB_PASS", "1"),
        ("PRIVATE_SSH_KEY", "1"),
        ("PRIVATEKEY", "1"),
        ("MY_PRIVATE_KEY_PEM", "1"),
        ("DATABASE_URL", "sqlite:x"),
        ("STAGING_DATABASE_URL", "1"),
        ("AZURE_STORAGE_CONNECTION_STRING", "1"),
        ("SESSION_COOKIE", "1"),
        ("COOKIES", "1"),
        ("BEARER", "1"),
        ("X_BEARER_VALUE", "1"),
        ("SLACK_WEBHOOK_URL", "1"),
        ("MIRROR", "https://me:pw@example.org/x"),
        ("BROKER", "amqp://:pw@h"),
        ("HOSTS", "redis://a, redis://u:p@b"),
        ("JDBC", "jdbc:postgresql://u:p@h/d"),
        ("ODD", "http://u:p@ss@h"),
    ];
    let harmless = [
        ("PWD", "/p"),
        ("OLDPWD", "/p"),
        ("HOMEPAGE", "https://example.org/a:b@c"),
        ("REMOTE", "ssh://git@example.org/x"),
        ("EMPTY", "http://user:@host"),
        ("SCP", "git@example.org:a/b"),
        ("QUERY", "https://h?x=a:b@c"),
        ("ODD", "://u:p@h"),
        ("KEYBOARD", "de"),
    ];
    let environment = inherited(variables(&secrets), &redaction);
    assert_eq!(names(&environment), [""; 0], "R10");
    let environment = inherited(variables(&harmless), &redaction);
    assert_eq!(names(&environment), harmless.map(|(name, _)| name), "R10");
    let allowing = Redaction { allowed: vec!["MIRROR".to_owned()], ..redaction };
    let environment = inherited(variables(&secrets), &allowing);
    assert_eq!(names(&environment), ["MIRROR"], "R10: what is allowed is kept");
}

#[test]
fn what_makes_programs_run_something_else_is_not_inherited() {
    let kept =
        ["PATH", "HOME", "LANG", "NODE_ENV", "GITHUB_ACTIONS", "VIRTUAL_ENV", "HOOKRAIL_AGENT", "OLD_ENV"];
    let withheld = [
        "BASH_ENV",
        "ENV",
        "BASH_FUNC_ls%%",
        "SHELLOPTS",
        "BASHOPTS",
        "PS4",
        "GCONV_PATH",
        "LD_PRELOAD",
        "LD_AUDIT",
        "DYLD_INSERT_LIBRARIES",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PYTHONSTARTUP",
        "PYTHONPATH",
        "PYTHONHOME",
        "PYTHONWARNINGS",
        "PERL5OPT",
        "PERL5LIB",
        "RUBYOPT",
        "RUBYLIB",
        "GIT_DIR",
        "GIT_SSH_COMMAND",
        "CDPATH",
        "XDG_CONFIG_HOME",
        "npm_config_script_shell",
        "GREP_OPTIONS",
        "TAR_OPTIONS",
        "HOOKRAIL_WORKER",
    ];
    let parent = kept.iter().chain(&withheld).map(|name| ((*name).into(), "x".into())).collect();
    let environment = inherited(parent, &Redaction::default());
    assert_eq!(names(&environment), kept, "R10");
    let own = withheld.map(|name| (name.to_owned(), "own".to_owned()));
    let set = for_hook(&environment, &own, Path::new("/p"), None);
    for name in withheld {
        assert_eq!(get(&set, name), Some(OsStr::new("own")), "R10: {name}");
    }
}

#[test]
fn a_hook_gets_everything_and_its_own() {
    let mut parent = variables(&[("A", "1"), ("B", "1"), ("A", "2"), ("PWD", "/old"), ("", "x")]);
    parent.push(("RAW".into(), OsString::from_vec(vec![0xff])));
    let redaction = Redaction { enabled: Some(true), ..Redaction::default() };
    let environment = inherited(parent, &redaction);
    let added = [
        ("B".to_owned(), "hook".to_owned()),
        ("MY_TOKEN".to_owned(), "kept".to_owned()),
        ("CLAUDE_PROJECT_DIR".to_owned(), "/elsewhere".to_owned()),
        ("x=y".to_owned(), "no name".to_owned()),
    ];
    let mut expected = variables(&[("A", "2"), ("B", "hook"), ("PWD", "/real")]);
    expected.push(("RAW".into(), OsString::from_vec(vec![0xff])));
    expected.extend(variables(&[
        ("MY_TOKEN", "kept"),
        ("CLAUDE_PROJECT_DIR", "/p q"),
        ("HOOKRAIL_PROJECT_DIR", "/p q"),
        ("LLXPRT_PROJECT_DIR", "/p q"),
        ("GEMINI_PROJECT_DIR", "/p q"),
    ]));
    let set = for_hook(&environment, &added, Path::new("/p q"), Some("/real".into()));
    assert_eq!(set, expected, "HOOK-188");
}

#[test]
fn pwd_is_kept_while_it_leads_to_the_directory() {
    let root = tempfile::tempdir().unwrap();
    let real = root.path().canonicalize().unwrap().join("real");
    let link = real.with_file_name("link");
    std::fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    assert_eq!(pwd_in(&link, None), Some(real.clone().into_os_string()));
    assert_eq!(pwd_in(&real, Some(link.as_os_str())), Some(link.clone().into_os_string()));
    assert_eq!(pwd_in(&real, Some(OsStr::new("/"))), Some(real.clone().into_os_string()));
    assert_eq!(pwd_in(&real, Some(OsStr::new("real"))), Some(real.clone().into_os_string()));
    assert_eq!(pwd_in(&real.join("missing"), None), None);
}
