use super::*;

#[test]
fn nothing_in_a_name_ends_an_attribute() {
    assert_eq!(escaped("a<b>&\"c\"\u{1b}\n\0é"), "a&lt;b&gt;&amp;&quot;c&quot;\\u001b&#10;\\u0000é");
}

#[test]
fn a_suite_for_each_file() {
    let test = |name: &str, file: &str, passed| Judged {
        name: name.to_owned(),
        file: file.to_owned(),
        line: 3,
        passed,
        why: if passed { Vec::new() } else { vec!["decision: expected block, seen allow".to_owned()] },
        took_ms: 1_005,
    };
    let xml = render(&[test("one", "a.json", true), test("two", "b.json", false)]);
    assert_eq!(
        xml,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
<testsuites name=\"hookrail\" tests=\"2\" failures=\"1\" errors=\"0\" time=\"2.010\">\n\
\x20 <testsuite name=\"a.json\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\" time=\"1.005\">\n\
\x20   <testcase name=\"one\" classname=\"a.json\" file=\"a.json\" line=\"3\" time=\"1.005\"/>\n\
\x20 </testsuite>\n\
\x20 <testsuite name=\"b.json\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"1.005\">\n\
\x20   <testcase name=\"two\" classname=\"b.json\" file=\"b.json\" line=\"3\" time=\"1.005\">\n\
\x20     <failure message=\"decision: expected block, seen allow\">decision: expected block, seen allow</failure>\n\
\x20   </testcase>\n\
\x20 </testsuite>\n\
</testsuites>\n"
    );
}
