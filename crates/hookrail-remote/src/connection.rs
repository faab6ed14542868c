//! How a server is reached: address, credentials, certificates.

use std::path::PathBuf;

use async_nats::{ConnectOptions, ServerAddr};

/// A server, and who asks it or answers there.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// `nats://` or `tls://`, maybe with a name and a password, or with a token.
    pub url: String,
    /// The text of a credentials file, or the seed of an nkey.
    pub credentials: Option<String>,
    /// The certificates that count for `tls://`, as a PEM file.
    pub certificates: PathBuf,
}

impl Endpoint {
    /// Address and options. Errors never show the address: there may be a password in it.
    pub(crate) fn options(&self) -> Result<(ServerAddr, ConnectOptions), String> {
        let address: ServerAddr =
            self.url.parse().map_err(|_| "the address is not that of a NATS server".to_owned())?;
        // Named here, the certificates are not looked for where variables say.
        let options = ConnectOptions::new()
            .name("hookrail")
            .request_timeout(None)
            .add_root_certificates(self.certificates.clone());
        let (options, owner) = match (&self.credentials, address.username()) {
            (Some(text), _) => with_credentials(options, text)?,
            (None, Some(user)) => match address.password() {
                Some(password) => {
                    (options.user_and_password(user.to_owned(), password.to_owned()), user.to_owned())
                }
                None => (options.token(user.to_owned()), String::new()),
            },
            (None, None) => (options, String::new()),
        };
        // An inbox of its own: credentials that may read it need not be able to read the answers to others.
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if owner.is_empty() || !owner.bytes().all(is_word) {
            return Ok((address, options));
        }
        Ok((address, options.custom_inbox_prefix(format!("_INBOX.{owner}"))))
    }
}

/// A new nkey of a user.
pub struct NewKey {
    /// The secret half, as `credentials` takes it.
    pub seed: String,
    /// The public half, for the configuration of the server.
    pub public: String,
}

impl NewKey {
    /// Makes one of the system's randomness.
    pub fn make() -> Result<Self, String> {
        let key = nkeys::KeyPair::new_user();
        let seed = key.seed().map_err(|error| format!("no key can be made: {error}"))?;
        Ok(Self { seed, public: key.public_key() })
    }
}

/// The seed of a user, alone or behind a token in a file of credentials; and the public key that belongs to it.
fn with_credentials(options: ConnectOptions, text: &str) -> Result<(ConnectOptions, String), String> {
    let seed = text.lines().map(str::trim).find(|line| line.starts_with("SU"));
    let key = seed.and_then(|seed| nkeys::KeyPair::from_seed(seed).ok());
    let (Some(seed), Some(key)) = (seed, key) else {
        return Err("the credentials contain no seed of a user (a line that begins with `SU`)".to_owned());
    };
    let options = if text.contains("BEGIN NATS USER JWT") {
        options.credentials(text).map_err(|error| format!("the credentials cannot be used: {error}"))?
    } else {
        options.nkey(seed.to_owned())
    };
    Ok((options, key.public_key()))
}
