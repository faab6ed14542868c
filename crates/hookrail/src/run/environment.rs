//! The environment of a hook: its parent's, without what makes programs run something else and what is redacted, with
//! the variables that hookrail adds.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::hook::PROJECT_DIR_VARIABLES;
use crate::settings::Redaction;

pub(crate) type EnvironmentVariable = (OsString, OsString);

/// Makes the environment that hooks inherit.
pub(crate) type EnvironmentSource = Arc<dyn Fn() -> Vec<(OsString, OsString)> + Send + Sync>;

/// What the name of a variable that holds a credential looks like; `*` stands for anything.
#[rustfmt::skip] // A list is read as a block.
const CREDENTIAL_PATTERNS: [&str; 30] = [
    "*_TOKEN", "*_TOKENS", "TOKEN", "*_KEY", "*_KEYS", "*API_KEY*", "*APIKEY*", "*ACCESS_KEY*", "*PRIVATE*KEY*",
    "*_SECRET", "*_SECRETS", "*_SECRET_*", "SECRET_*", "SECRET", "*PASSWORD*", "*PASSWD*", "*PASSPHRASE*",
    "*PASS", "*_PWD", "*CREDENTIAL*", "*_CREDS", "*_AUTH", "DOCKER_AUTH_CONFIG", "*_PAT", "*DATABASE_URL*",
    "*CONNECTION_STRING*", "*CONNECTIONSTRING*", "*COOKIE*", "*BEARER*", "*WEBHOOK*",
];

/// Variables by which shells, interpreters, loaders and common tools are made to run code that the hook does not name.
/// Agents load a project's files into the environment, so hooks do not inherit them; a hook's own settings may set them.
#[rustfmt::skip]
const WITHHELD_PATTERNS: &[&str] = &[
    // Shells.
    "BASH*", "CDPATH", "ENV", "EXECIGNORE", "FPATH", "GLOBIGNORE", "IFS", "POSIXLY_CORRECT", "POSIX_PEDANTIC",
    "PS4", "SHELLOPTS", "TMOUT", "ZDOTDIR",
    // What is loaded into every program.
    "DYLD_*", "GCONV_PATH", "GLIBC_TUNABLES", "LD_*", "LOCPATH", "NLSPATH", "OPENSSL_CONF", "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    // Interpreters and their libraries.
    "__PYVENV_LAUNCHER__", "AWKLIBPATH", "AWKPATH", "BUN_OPTIONS", "CLASSPATH", "CORECLR_*",
    "DOTNET_ADDITIONAL_DEPS", "DOTNET_STARTUP_HOOKS", "GEM_HOME", "GEM_PATH", "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "LUA_*", "NODE_COMPILE_CACHE", "NODE_OPTIONS", "NODE_PATH", "PERL5*",
    "PERLLIB", "PHPRC", "PHP_INI_SCAN_DIR", "PYTHON*", "RUBY*", "R_ENVIRON*", "R_PROFILE*", "TCLLIBPATH",
    // Tools that take commands from their configuration.
    "ACKRC", "ACK_OPTIONS", "CURL_HOME", "EMACSLOADPATH", "EXINIT", "GIO_EXTRA_MODULES", "GIO_MODULE_DIR",
    "GIT_*", "GREP_OPTIONS", "GTK_MODULES", "GTK_PATH", "LESSCLOSE", "LESSOPEN", "MAKEFILES", "MAKEFLAGS",
    "NPM_CONFIG_*", "QT_PLUGIN_PATH", "RIPGREP_CONFIG_PATH", "RSYNC_RSH", "TAR_OPTIONS", "VIMINIT", "WGETRC",
    "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME",
    // Whether a process is a worker is decided where it is started.
    "HOOKRAIL_WORKER",
];

/// The environment of this process, for a runner's options. Nothing else in the engine reads it.
pub fn inherited_environment() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

/// What all hooks inherit: their parent's variables without what is kept from them. Of a name that occurs twice the last
/// value counts, as in bash.
pub(crate) fn inherited(parent: Vec<EnvironmentVariable>, redaction: &Redaction) -> Vec<EnvironmentVariable> {
    let mut variables = Vec::with_capacity(parent.len());
    for (name, value) in parent {
        if is_valid_name(&name) && !is_withheld(&name) && !is_redacted(&name, &value, redaction) {
            set(&mut variables, name, value);
        }
    }
    variables
}

/// The complete environment of a hook in this directory. What its settings add is never redacted: it was configured for
/// this hook.
pub(crate) fn for_hook(
    inherited: &[EnvironmentVariable],
    added: &[(String, String)],
    directory: &Path,
    pwd: Option<OsString>,
) -> Vec<EnvironmentVariable> {
    let mut variables = inherited.to_vec();
    if let Some(pwd) = pwd {
        set(&mut variables, "PWD".into(), pwd);
    }
    for (name, value) in added.iter().filter(|(name, _)| is_valid_name(name.as_ref())) {
        set(&mut variables, name.into(), value.into());
    }
    for name in PROJECT_DIR_VARIABLES {
        set(&mut variables, name.into(), directory.as_os_str().to_owned());
    }
    variables
}

/// `PWD` as bash would set it in a directory; `None` if the directory cannot be found, so that no hook starts.
///
/// Like bash, it keeps a `PWD` that leads there, perhaps by symbolic links that the user knows the directory by, and else
/// takes the real path.
pub(crate) fn pwd_in(directory: &Path, inherited: Option<&OsStr>) -> Option<OsString> {
    let leads_there = |pwd: &&OsStr| Path::new(pwd).is_absolute() && is_same(Path::new(pwd), directory);
    match inherited.filter(leads_there) {
        Some(pwd) => Some(pwd.to_owned()),
        None => directory.canonicalize().ok().map(PathBuf::into_os_string),
    }
}

/// The value of a variable.
pub(super) fn get<'a>(variables: &'a [EnvironmentVariable], name: &str) -> Option<&'a OsStr> {
    variables.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_os_str())
}

/// Sets a variable, in its place if it is there already.
pub(super) fn set(variables: &mut Vec<EnvironmentVariable>, name: OsString, value: OsString) {
    match variables.iter_mut().find(|(other, _)| *other == name) {
        Some((_, old)) => *old = value,
        None => variables.push((name, value)),
    }
}

/// Whether two paths are the same folder, through links.
fn is_same(one: &Path, other: &Path) -> bool {
    let (Ok(one), Ok(other)) = (one.metadata(), other.metadata()) else { return false };
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Names that no environment can hold are left out; settings that have them are reported when they are read.
fn is_valid_name(name: &OsStr) -> bool {
    !name.is_empty() && !name.as_encoded_bytes().iter().any(|byte| matches!(byte, b'=' | 0))
}

/// Whether a variable makes programs run something else, so that no hook inherits it.
pub fn is_withheld(name: &OsStr) -> bool {
    WITHHELD_PATTERNS.iter().any(|pattern| matches(pattern.as_bytes(), name.as_encoded_bytes()))
}

/// Allowed names stay in any case. Of the others those go that are blocked, whose name is that of a credential, or whose
/// value holds one.
fn is_redacted(name: &OsStr, value: &OsStr, redaction: &Redaction) -> bool {
    let name = name.as_encoded_bytes();
    let is_in = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern.as_bytes(), name));
    redaction.enabled == Some(true)
        && !is_in(&redaction.allowed)
        && (is_in(&redaction.blocked)
            || CREDENTIAL_PATTERNS.iter().any(|pattern| matches(pattern.as_bytes(), name))
            || holds_url_with_password(value.as_encoded_bytes()))
}

/// Whether a value holds a URL with a password in it, `scheme://user:password@host`, whatever its variable is called.
fn holds_url_with_password(value: &[u8]) -> bool {
    let separator = b"://";
    let mut rest = value;
    while let Some(place) = rest.windows(separator.len()).position(|window| window == separator) {
        let (scheme, authority) =
            (rest.get(..place).unwrap_or_default(), rest.get(place + separator.len()..).unwrap_or_default());
        let has_scheme = scheme.last().is_some_and(u8::is_ascii_alphanumeric);
        let end = authority.iter().position(|byte| b"/?# \t\n".contains(byte)).unwrap_or(authority.len());
        let credentials = authority.get(..end).unwrap_or_default();
        let user_info =
            credentials.iter().rposition(|byte| *byte == b'@').and_then(|at| credentials.get(..at));
        let password = user_info.and_then(|info| info.splitn(2, |byte| *byte == b':').nth(1));
        if has_scheme && password.is_some_and(|password| !password.is_empty()) {
            return true;
        }
        rest = authority;
    }
    false
}

/// Whether a name fits a pattern in which `*` stands for anything. Case does not count.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    if let (Some(first), Some(letter)) = (pattern.first(), name.first())
        && *first != b'*'
        && !first.eq_ignore_ascii_case(letter)
    {
        return false; // Nearly always: every variable is compared with every pattern before a hook starts.
    }
    let mut parts = pattern.split(|byte| *byte == b'*');
    let first = parts.next().unwrap_or_default();
    let Some((head, mut rest)) = name.split_at_checked(first.len()) else { return false };
    if !head.eq_ignore_ascii_case(first) {
        return false;
    }
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    // Taking each part at its first place leaves the most for those behind it.
    for part in parts.filter(|part| !part.is_empty()) {
        let Some(place) = rest.windows(part.len()).position(|window| window.eq_ignore_ascii_case(part))
        else {
            return false;
        };
        rest = rest.get(place + part.len()..).unwrap_or_default();
    }
    rest.len()
        .checked_sub(last.len())
        .and_then(|start| rest.get(start..))
        .is_some_and(|tail| tail.eq_ignore_ascii_case(last))
}

#[cfg(test)]
mod tests;
