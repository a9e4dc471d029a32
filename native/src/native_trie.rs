//! A trie that stays in memory between updates, or reads what it needs each time: the two forms that bench/roots.ts
//! measures beside the trie of the store.

use std::cell::Cell;

use napi::{
    Error, Result, Status,
    bindgen_prelude::{Function, Uint8Array},
};
use napi_derive::napi;

use crate::trie::{Change, Link, Reader, Update, root_hash, visit_new};

/// Bits of a change: the key was there; the value is deleted.
const EXISTED: u8 = 1;
const DELETED: u8 = 2;
/// In the place of the length of a node that is to be removed.
const REMOVED: [u8; 2] = [0xff, 0xff];

struct Caller<'a> {
    read: Function<'a, Uint8Array, Option<Uint8Array>>,
}

impl Reader for Caller<'_> {
    fn read(&mut self, path: &[u8]) -> std::result::Result<Option<Vec<u8>>, String> {
        let stored = self.read.call(path.to_vec().into()).map_err(|error| error.reason.to_string())?;
        Ok(stored.map(|bytes| bytes.to_vec()))
    }
}

#[napi]
#[derive(Default)]
pub struct NativeTrie {
    /// None: not read yet.
    root: Cell<Option<Link>>,
}

#[napi]
impl NativeTrie {
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes ascend: key, bits, length, value. The answer is the root, and where they are wanted the nodes: length of
    /// the path, path, length of the node, node.
    #[napi(catch_unwind)]
    pub fn update(
        &self,
        changes: &[u8],
        read: Function<Uint8Array, Option<Uint8Array>>,
        wants_nodes: bool,
    ) -> Result<Uint8Array> {
        let failed = |reason: String| Error::new(Status::GenericFailure, reason);
        let changes = decode(changes).ok_or_else(|| failed("the changes are cut off".into()))?;
        let mut caller = Caller { read };
        let mut update = Update::new(&mut caller);
        let before = match self.root.take() {
            Some(root) => root,
            None => update.load_root().map_err(failed)?,
        };
        let after = update.apply(&before, 0, &changes).map_err(failed)?;
        let mut answer = root_hash(&after).to_vec();
        if wants_nodes {
            for path in &update.removed {
                answer.push(path.len() as u8);
                answer.extend_from_slice(path);
                answer.extend_from_slice(&REMOVED);
            }
            visit_new(&after, &before, &mut Vec::new(), &mut |path: &[u8], node: &[u8]| {
                answer.push(path.len() as u8);
                answer.extend_from_slice(path);
                answer.extend_from_slice(&(node.len() as u16).to_be_bytes());
                answer.extend_from_slice(node);
            });
        }
        self.root.set(Some(after));
        Ok(answer.into())
    }
}

fn decode(bytes: &[u8]) -> Option<Vec<Change<'_>>> {
    let mut changes = Vec::new();
    let mut rest = bytes;
    while let Some((key, more)) = rest.split_first_chunk() {
        let (&[bits, length], more) = more.split_first_chunk()?;
        let (value, more) = more.split_at_checked(length as usize)?;
        let value = if bits & DELETED != 0 { None } else { Some(value) };
        changes.push(Change { key, value, existed: bits & EXISTED != 0 });
        rest = more;
    }
    rest.is_empty().then_some(changes)
}
