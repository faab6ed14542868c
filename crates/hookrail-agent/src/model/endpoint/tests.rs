use super::*;

#[test]
fn where_requests_go() {
    for (base, model, expected) in [
        (
            "https://generativelanguage.googleapis.com",
            "gemini-2.5-pro",
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
        ),
        (
            "http://127.0.0.1:8080/",
            "models/m",
            "http://127.0.0.1:8080/v1beta/models/m:streamGenerateContent?alt=sse",
        ),
        (
            "https://proxy.example/gemini",
            "tunedModels/t",
            "https://proxy.example/gemini/v1beta/tunedModels/t:streamGenerateContent?alt=sse",
        ),
        (
            " https://proxy.example/v1beta/ ",
            "m",
            "https://proxy.example/v1beta/models/m:streamGenerateContent?alt=sse",
        ),
        (
            "https://proxy.example",
            "../../x?y#z",
            "https://proxy.example/v1beta/models/..%2F..%2Fx%3Fy%23z:streamGenerateContent?alt=sse",
        ),
    ] {
        assert_eq!(endpoint(base, model).unwrap().as_str(), expected);
    }
}

#[test]
fn addresses_and_names_that_cannot_be_used() {
    for (base, model, expected) in [
        (
            "generativelanguage.googleapis.com",
            "m",
            "the base URL is not usable: relative URL without a base; \
                check `--base-url` or `GOOGLE_GEMINI_BASE_URL`",
        ),
        (
            "ftp://user:pass@x",
            "m",
            "the base URL is not usable: it does not start with `https://` or `http://`; \
                check `--base-url` or `GOOGLE_GEMINI_BASE_URL`",
        ),
        (
            "https://x/?key=s3cret",
            "m",
            "the base URL is not usable: it has a `?` or `#`; \
                check `--base-url` or `GOOGLE_GEMINI_BASE_URL`",
        ),
        ("https://x", "", "`` is not the name of a model; name one with `--model`"),
        ("https://x", "a b\n", "`a b` is not the name of a model; name one with `--model`"),
    ] {
        assert_eq!(endpoint(base, model).unwrap_err().to_string(), expected);
    }
}

#[test]
fn what_an_address_shows_and_where_it_leads() {
    let url = |text| Url::parse(text).unwrap();
    assert_eq!(server(&url("https://user:pass@example.org:8443/path?x")), "https://example.org:8443");
    for (text, local) in [
        ("http://localhost:1", true),
        ("http://127.1.2.3", true),
        ("http://[::1]:80", true),
        ("http://10.0.0.1", false),
        ("https://localhost.example.org", false),
    ] {
        assert_eq!(is_this_machine(&url(text)), local, "{text}");
    }
}
