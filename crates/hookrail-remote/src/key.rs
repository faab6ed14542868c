//! The keys of NATS users ("nkeys"): a seed signs what the server sends, and the public half is the user's name.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{Ed25519KeyPair, KeyPair as _};

/// What keys begin with, so that their texts do: five bits for `S` (a seed), five for `U` (of a user).
const USER: u8 = 20 << 3;
const SEED_OF_USER: [u8; 2] = [18 << 3 | USER >> 5, USER << 3];

/// The digits of base 32.
const DIGITS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The key of a user.
pub(crate) struct Key(Ed25519KeyPair);

impl Key {
    /// The key of a seed (`SU…`).
    pub(crate) fn of_seed(text: &str) -> Option<Self> {
        let bytes = decoded(text)?;
        let (bytes, sum) = bytes.split_last_chunk::<2>()?;
        let seed = bytes.strip_prefix(&SEED_OF_USER)?;
        if *sum != checksum(bytes) {
            return None;
        }
        Ed25519KeyPair::from_seed_unchecked(seed).ok().map(Self)
    }

    /// The public half (`U…`).
    pub(crate) fn public(&self) -> String {
        encoded(&[&[USER], self.0.public_key().as_ref()].concat())
    }

    /// The signature of what the server sent.
    pub(crate) fn sign(&self, nonce: &str) -> String {
        URL_SAFE_NO_PAD.encode(self.0.sign(nonce.as_bytes()))
    }
}

/// A new key of a user.
pub struct NewKey {
    /// The secret half, as `credentials` takes it.
    pub seed: String,
    /// The public half, for the configuration of the server.
    pub public: String,
}

impl NewKey {
    /// Makes one of the system's randomness.
    pub fn make() -> Result<Self, String> {
        let seed = encoded(&[&SEED_OF_USER[..], &random::<32>()?].concat());
        let key = Key::of_seed(&seed).ok_or("no key can be made")?;
        Ok(Self { public: key.public(), seed })
    }
}

/// Bytes of the system's randomness.
pub(crate) fn random<const LENGTH: usize>() -> Result<[u8; LENGTH], String> {
    let mut bytes = [0; LENGTH];
    SystemRandom::new().fill(&mut bytes).map_err(|_| "the system has no randomness".to_owned())?;
    Ok(bytes)
}

/// A key as text: in base 32, with its checksum.
fn encoded(key: &[u8]) -> String {
    let (mut text, mut bits, mut held) = (String::new(), 0, 0_u32);
    for byte in key.iter().chain(&checksum(key)).chain(&[0]) {
        held = held << 8 | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.extend(DIGITS.get((held >> bits & 31) as usize).map(|digit| char::from(*digit)));
        }
    }
    text.truncate(((key.len() + 2) * 8).div_ceil(5));
    text
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0, 0_u32);
    for digit in text.bytes() {
        held = held << 5 | u32::try_from(DIGITS.iter().position(|known| *known == digit)?).ok()?;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xFF) as u8);
        }
    }
    Some(bytes)
}

/// CRC-16 (XMODEM).
fn checksum(bytes: &[u8]) -> [u8; 2] {
    let mut sum = 0_u16;
    for byte in bytes {
        sum ^= u16::from(*byte) << 8;
        for _ in 0..8 {
            sum = sum << 1 ^ if sum & 0x8000 == 0 { 0 } else { 0x1021 };
        }
    }
    sum.to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pair is one that NATS' own `nk` made.
    #[test]
    fn a_seed_and_its_public_half_belong_together() {
        let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
        assert_eq!(
            Key::of_seed(seed).map(|key| key.public()).as_deref(),
            Some("UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4")
        );
        for wrong in ["", "SU", "SUACSSL3", &seed.replace('3', "4"), &seed.to_lowercase(), "SU2é"] {
            assert!(Key::of_seed(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_new_key_is_a_key() {
        let made = NewKey::make().unwrap();
        assert!(made.seed.starts_with("SU") && made.public.starts_with('U'));
        assert_eq!(Key::of_seed(&made.seed).unwrap().public(), made.public);
        assert_ne!(NewKey::make().unwrap().seed, made.seed);
    }
}
