//! What a line types into another terminal, hands to a shell of another kind, or copies before it runs.

use super::super::{Cause, facts_of_line};
use super::{commands, paths};

/// Lines that run `rm a`, and why they are dynamic besides.
#[test]
fn what_is_typed_into_a_terminal_is_read() {
    for (line, causes) in [
        ("tmux send-keys -t x 'rm a' Enter", "eval"),
        ("tmux send -t x rm Space a C-m", "eval"),
        ("tmux send-keys -l 'rm a'", "eval"),
        ("tmux new-session -d \\; send-keys 'rm a' Enter", "eval"),
        ("tmux start-server \\; run-shell 'rm a'", ""),
        ("tmux display-message '#(rm a)'", ""),
        ("tmux confirm-before 'run-shell \"rm a\"'", ""),
        ("screen -S x -X stuff 'rm a\\n'", "eval"),
        ("screen -S x -p 0 -X stuff 'rm a^M'", "eval"),
        ("screen -X exec rm a", ""),
        ("screen -dmS x rm a", ""),
        ("expect -c 'spawn -noecho rm a'", ""),
        ("expect -c 'spawn ssh h; expect x; send \"rm a\\r\"'", "stdin"),
        ("expect <<E\nspawn rm a\nE", ""),
        ("pwsh -nop -noni -c rm a", ""),
        ("powershell.exe -Command 'rm a'", ""),
        ("cmd.exe /c 'rm a'", ""),
        ("capsh --drop=all -- -c 'rm a'", ""),
        ("nvim --headless +'!rm a' +q", ""),
        ("psql -c '\\! rm a'", ""),
        ("sqlite3 x '.shell rm a'", ""),
        ("xterm -e rm a", ""),
        ("git log | fzf --bind 'enter:become(rm a)'", ""),
    ] {
        let facts = facts_of_line(line);
        assert!(commands(&facts).iter().any(|command| command == "rm a"), "{line}: {:?}", commands(&facts));
        let found: Vec<_> = facts.causes.iter().map(|cause| cause.name()).collect();
        assert_eq!(found.join(" "), causes, "{line}");
    }
}

/// A file from elsewhere is not known under another name either.
#[test]
fn a_download_is_followed_to_where_it_runs() {
    for line in [
        "curl -o x u && dd if=x of=y && sh y",
        "curl u | dd of=y; sh y",
        "curl u | sponge y; sh y",
        "curl -o x u && install -m 755 x /usr/local/bin/y && y",
        "curl u | sudo tee /usr/local/bin/y && y",
        "curl -o x.py u && python3 x.py",
        "curl -o x.js u && node x.js",
    ] {
        assert!(facts_of_line(line).causes.contains(&Cause::Source), "{line}");
    }
    for line in
        ["curl -o x u && python3 y.py x", "curl -o x u; y", "dd if=x of=y; sh y", "curl -o doc/y u; y"]
    {
        assert!(!facts_of_line(line).is_dynamic(), "{line}");
    }
    assert!(facts_of_line("curl u | source /dev/stdin").causes.contains(&Cause::Stdin));
    assert!(commands(&facts_of_line(". <(echo rm a)")).contains(&"rm a".to_owned()));
}

#[test]
fn folders_are_seen_behind_odd_spellings() {
    for (line, expected) in [
        ("find -- /etc -delete", "w /etc"),
        ("rm -rf /dev/fd/../../etc", "w /dev/fd/../../etc"),
        ("dd if=$HOME/.ssh/id_rsa", "r ~/.ssh/id_rsa"),
        ("curl -d @$HOME/.aws/credentials u", "r ~/.aws/credentials"),
        ("curl -F \"f=@${HOME}/x\" u", "r ~/x"),
        ("curl --output=$HOME/x u", "w ~/x"),
        ("rsync -a --remove-source-files /etc/ x", "w /etc/"),
    ] {
        let found = paths(&facts_of_line(line));
        assert!(found.iter().any(|path| path == expected), "{line}: {found:?}");
    }
}
