//! Hooks that are not what a hook should be, or change under our feet.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hookrail_testkit::{TestProject, make_pipe};

use crate::arena::{Row, Verdict};
use crate::rows;

fn with_mode(project: &TestProject, content: &str, mode: u32) {
    let path = project.file("hostile.sh", content);
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

fn link_to(project: &TestProject, target: &str) {
    std::os::unix::fs::symlink(target, project.dir().join("hostile.sh")).expect("a link");
}

rows! {
    deletes_its_own_script => Row {
        check: |project, _| assert!(!project.dir().join("hostile.sh").exists()),
        ..Row::script(r#"rm -- "$0"; echo no >&2; exit 2"#, Verdict::Blocks("no"))
    };
    /// The neighbours must have been started, since nobody can be started in a directory that is gone.
    deletes_the_working_directory => Row {
        check: |project, _| assert!(!project.dir().exists()),
        ..Row::script(
            r#"while [ "$(ls "$MEETING" | wc -l)" -lt "$NEIGHBOURS" ]; do sleep 0.02; done
            rm -rf -- "$PWD"; echo no >&2; exit 2"#,
            Verdict::Blocks("no"),
        )
    };
    /// Bash reads a script while it runs it: what was appended is run, and is the hook's own doing.
    appends_to_its_script_while_it_runs => Row::script(
        r#"echo 'echo later >&2; exit 2' >> "$0""#,
        Verdict::Blocks("later"),
    );
    replaces_its_script_while_it_runs => Row {
        check: |project, _| assert_eq!(project.read("hostile.sh"), "echo new\n"),
        ..Row::script(
            r#"echo 'echo new' > "$0.new"; mv "$0.new" "$0"; echo old >&2; exit 2"#,
            Verdict::Blocks("old"),
        )
    };
    /// What bash has read before stays read.
    truncates_its_script_while_it_runs => Row {
        check: |project, _| assert_eq!(project.read("hostile.sh"), ""),
        ..Row::script(": > \"$0\"\necho no >&2; exit 2", Verdict::Blocks("no"))
    };
    execs_something_else => Row::script(
        r#"exec -a innocent printf '{"decision":"block","reason":"no"}'"#,
        Verdict::Blocks("no"),
    );
    execs_itself_many_times => Row::script(
        r#"N=$((${N:-0} + 1)); export N; [ $N -lt 200 ] && exec "$0"; echo "no $N" >&2; exit 2"#,
        Verdict::Blocks("no 200"),
    );
    is_a_directory => Row {
        prepare: |project| fs::create_dir(project.dir().join("hostile.sh")).expect("a directory"),
        ..Row::new("./hostile.sh", Verdict::Fails("exited with code 126: bash: line 1: ./hostile.sh: Is a directory"))
    };
    /// Bash opens it to find out what it is, and waits for somebody to write.
    is_a_fifo => Row {
        prepare: |project| {
            make_pipe(&project.dir().join("hostile.sh"));
        },
        ..Row::hangs("./hostile.sh")
    };
    is_a_device => Row {
        prepare: |project| link_to(project, "/dev/null"),
        ..Row::new("./hostile.sh", Verdict::Fails("exited with code 126: bash: line 1: ./hostile.sh: Permission denied"))
    };
    is_a_dangling_link => Row {
        prepare: |project| link_to(project, "nowhere"),
        ..Row::new(
            "./hostile.sh",
            Verdict::Fails("exited with code 127: bash: line 1: ./hostile.sh: No such file or directory"),
        )
    };
    is_a_link_to_itself => Row {
        prepare: |project| link_to(project, "hostile.sh"),
        ..Row::new("./hostile.sh", Verdict::Fails("./hostile.sh: Too many levels of symbolic links"))
    };
    is_not_there => Row::new("no-such-hook", Verdict::Fails("exited with code 127: bash: line 1: no-such-hook: command not found"));
    is_not_executable => Row {
        prepare: |project| with_mode(project, "#!/bin/bash\nexit 2\n", 0o644),
        ..Row::new("./hostile.sh", Verdict::Fails("exited with code 126: bash: line 1: ./hostile.sh: Permission denied"))
    };
    lacks_its_interpreter => Row {
        prepare: |project| with_mode(project, "#!/no/such/interpreter\nexit 2\n", 0o755),
        ..Row::new("./hostile.sh", Verdict::Fails(": ./hostile.sh: "))
    };
    has_windows_line_ends => Row {
        prepare: |project| with_mode(project, "#!/bin/bash\r\nexit 2\r\n", 0o755),
        ..Row::new("./hostile.sh", Verdict::Fails(": ./hostile.sh: "))
    };
    has_no_interpreter_line => Row {
        prepare: |project| with_mode(project, "echo no >&2; exit 2\n", 0o755),
        ..Row::new("./hostile.sh", Verdict::Blocks("no"))
    };
    is_empty => Row {
        prepare: |project| with_mode(project, "", 0o755),
        ..Row::new("./hostile.sh", Verdict::Silent)
    };
    is_its_own_interpreter => Row {
        prepare: |project| with_mode(project, "#!./hostile.sh\n", 0o755),
        ..Row::new("./hostile.sh", Verdict::Fails(": ./hostile.sh: "))
    };
    is_a_program_for_no_machine => Row {
        prepare: |project| with_mode(project, "\u{7f}ELF\0\0\0\0 not really", 0o755),
        ..Row::new("./hostile.sh", Verdict::Fails("exited with code 126: bash: line 1: ./hostile.sh: cannot execute binary file"))
    };
    is_bad_syntax => Row::new("if then (", Verdict::Blocks("syntax error"));
}
