//! `hookrail report`: one page with what the log has, and nothing in it that the log could run.

use hookrail_testkit::TestProject;
use serde_json::json;

use crate::program::{run, run_with_stdin};

#[test]
fn the_page_holds_decisions_as_data_and_nothing_else_of_them() {
    let project = TestProject::new();
    let rule = json!({ "type": "rule", "name": "no-rm", "when": { "command": "rm" }, "block": "</script><b>no</b>" });
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [rule] }] } }));
    for line in ["rm x", "rm '</script><script>alert(1)</script>'", "ls"] {
        let payload = json!({ "tool_name": "run_shell_command", "tool_input": { "command": line } });
        run_with_stdin(&project, &["fire", "BeforeTool", "--payload", "-"], &payload.to_string());
    }
    let ran = run(&project, &["report", "-o", "r.html"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let page = project.read("r.html");
    assert!(page.contains("\"no-rm\"") && page.contains("\"rm x\""), "{page}");
    assert!(!page.contains("<b>no") && !page.contains("<script>alert"), "text of the log is never markup");
    assert_eq!(page.matches("</script>").count(), 2, "the data and the script, and no more");
    assert!(!page.contains("http://") || page.contains("http://www.w3.org/2000/svg"), "nothing is fetched");
    assert!(page.contains("default-src 'none'"));
    let none = run(&project, &["report", "--session", "other", "-o", "o.html"]);
    assert!(none.stdout.contains(": 0 decisions"), "{none}");
    let nowhere = run(&project, &["report", "-o", "no/such/folder/r.html"]);
    assert_eq!(nowhere.code, Some(1), "{nowhere}");
}
