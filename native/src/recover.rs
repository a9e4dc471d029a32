//! Signatures. Senders of transactions are recovered many at a time on other threads; keys of seals and messages one
//! by one on the calling thread, where consensus messages are also signed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use alloy_primitives::{Address, U256, uint};
use napi::{Env, Error, Result, Status, Task, bindgen_prelude::Uint8Array};
use revm::precompile::{Crypto, DefaultCrypto};
use secp256k1::{
    Message, SECP256K1, SecretKey,
    ecdsa::{RecoverableSignature, RecoveryId},
};

use crate::panic_if_asked;

/// EIP-2: above it, the other of the two equivalent signatures is valid.
pub const HALF_ORDER: U256 = uint!(0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0_U256);
/// Digest, r, s, parity.
const QUESTION_BYTES: usize = 32 + 64 + 1;
/// 1 and an address, or 21 zeros if the signature is impossible.
const ANSWER_BYTES: usize = 1 + 20;

/// `signature` is r and s, 64 bytes.
pub fn signer(digest: &[u8], signature: &[u8], parity: u8) -> Option<Address> {
    if parity > 1 {
        return None;
    }
    let (signature, digest) = (signature.try_into().ok()?, digest.try_into().ok()?);
    let hash = DefaultCrypto.secp256k1_ecrecover(signature, parity, digest).ok()?;
    Some(Address::from_word(hash.into()))
}

/// The public key, x and y; `signature` is r, s and the parity, 65 bytes. `None` if the signature is impossible.
pub fn key(digest: &[u8], signature: &[u8]) -> Option<[u8; 64]> {
    let digest: [u8; 32] = digest.try_into().ok()?;
    let (&parity, signature) = signature.split_last()?;
    if parity > 1 {
        return None;
    }
    let parity = RecoveryId::try_from(i32::from(parity)).ok()?;
    let signature = RecoverableSignature::from_compact(signature, parity).ok()?;
    let key = SECP256K1.recover_ecdsa(Message::from_digest(digest), &signature).ok()?;
    key.serialize_uncompressed()[1..].try_into().ok()
}

/// r, s and the parity: deterministic (RFC 6979), low s. `None` for an invalid key or digest.
pub fn sign(key: &[u8], digest: &[u8]) -> Option<[u8; 65]> {
    let digest: [u8; 32] = digest.try_into().ok()?;
    let mut key = SecretKey::from_byte_array(key.try_into().ok()?).ok()?;
    let signed = SECP256K1.sign_ecdsa_recoverable(Message::from_digest(digest), &key);
    key.non_secure_erase();
    let (parity, compact) = signed.serialize_compact();
    let mut signature = [0; 65];
    signature[..64].copy_from_slice(&compact);
    signature[64] = u8::try_from(i32::from(parity)).ok()?;
    Some(signature)
}

pub struct RecoverSenders {
    pub questions: Vec<u8>,
}

impl Task for RecoverSenders {
    type Output = Vec<u8>;
    type JsValue = Uint8Array;

    fn compute(&mut self) -> Result<Vec<u8>> {
        let questions = &self.questions;
        // No #[napi] function encloses this one, so it catches panics itself.
        catch_unwind(AssertUnwindSafe(|| answer(questions)))
            .map_err(|_| Error::new(Status::GenericFailure, "the recovery of senders panicked"))
    }

    fn resolve(&mut self, _: Env, answers: Vec<u8>) -> Result<Uint8Array> {
        Ok(answers.into())
    }
}

fn answer(questions: &[u8]) -> Vec<u8> {
    panic_if_asked();
    let mut answers = vec![0; questions.len() / QUESTION_BYTES * ANSWER_BYTES];
    for (question, answer) in questions.chunks_exact(QUESTION_BYTES).zip(answers.chunks_exact_mut(ANSWER_BYTES)) {
        if let Some(address) = signer(&question[..32], &question[32..96], question[96]) {
            answer[0] = 1;
            answer[1..].copy_from_slice(address.as_slice());
        }
    }
    answers
}
