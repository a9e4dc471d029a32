//! An incremental Merkle Patricia trie whose keys are hashes, as src/store/trie has it: 64 nibbles, no values in branches.
//! Nothing is changed in place, so that the trie before and several after it live side by side.

use std::{cell::RefCell, rc::Rc};

use alloy_primitives::{hex_literal::hex, keccak256};

pub const EMPTY_ROOT: [u8; 32] = hex!("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
const KEY_NIBBLES: usize = 64;
const HASH_BYTES: usize = 32;
const LEAF: u8 = 0x20;
const ODD: u8 = 0x10;

pub type Link = Option<Rc<Node>>;
type Found<Value> = Result<Value, String>;

/// What a parent says of a child: its hash, or a node that is shorter than one; no bytes: there is none.
#[derive(Clone, Copy)]
pub struct Reference {
    length: u8,
    bytes: [u8; HASH_BYTES],
}

const NONE: Reference = Reference { length: 0, bytes: [0; HASH_BYTES] };

impl Reference {
    fn is_none(&self) -> bool {
        self.length == 0
    }
    fn is_hash(&self) -> bool {
        self.length as usize == HASH_BYTES
    }
}

pub enum Node {
    Leaf { key: [u8; 32], value: Vec<u8> },
    Extension { path: Vec<u8>, reference: Reference, child: RefCell<Link> },
    Branch(Box<Branch>),
}

pub struct Branch {
    references: [Reference; 16],
    /// Bit n: the child under nibble n is a leaf, and need not be loaded to be replaced.
    leaves: u16,
    children: RefCell<[Link; 16]>,
}

pub struct Change<'a> {
    pub key: &'a [u8; 32],
    /// None deletes.
    pub value: Option<&'a [u8]>,
    /// The key is known to be there.
    pub existed: bool,
}

/// The stored node at a path.
pub trait Reader {
    fn read(&mut self, path: &[u8]) -> Found<Option<Vec<u8>>>;
}

pub struct Update<'a, Source: Reader> {
    pub source: &'a mut Source,
    /// Paths where a node may be stored that is none any more.
    pub removed: Vec<Vec<u8>>,
    path: [u8; KEY_NIBBLES],
    encoded: Vec<u8>,
}

fn nibble(key: &[u8; 32], index: usize) -> u8 {
    let byte = key[index >> 1];
    if index & 1 == 1 { byte & 0xf } else { byte >> 4 }
}

impl<'a, Source: Reader> Update<'a, Source> {
    pub fn new(source: &'a mut Source) -> Self {
        Self { source, removed: Vec::new(), path: [0; KEY_NIBBLES], encoded: Vec::with_capacity(600) }
    }

    pub fn load_root(&mut self) -> Found<Link> {
        let stored = self.source.read(&[])?;
        stored.map(|bytes| decode_stored(&bytes, &[]).map(Rc::new)).transpose()
    }

    /// `changes` ascend by key, and each key is there once.
    pub fn apply(&mut self, node: &Link, depth: usize, changes: &[Change]) -> Found<Link> {
        match node.as_deref() {
            None => Ok(self.build(&sets(changes), depth)),
            Some(Node::Leaf { key, value }) => {
                let mut entries = sets(changes);
                if changes.binary_search_by(|change| change.key.cmp(key)).is_err() {
                    let place = entries.partition_point(|(other, _)| *other < key);
                    entries.insert(place, (key, value));
                }
                Ok(self.build(&entries, depth))
            }
            Some(Node::Extension { path, reference, child }) => {
                self.apply_to_extension(path, reference, child, depth, changes)
            }
            Some(Node::Branch(branch)) => self.apply_to_branch(branch, depth, changes),
        }
    }

    fn apply_to_branch(&mut self, branch: &Branch, depth: usize, changes: &[Change]) -> Found<Link> {
        let mut next = Branch {
            references: branch.references,
            leaves: branch.leaves,
            children: RefCell::new(branch.children.borrow().clone()),
        };
        let mut rest = changes;
        while let Some(first) = rest.first() {
            let at = nibble(first.key, depth);
            let count = rest.iter().take_while(|change| nibble(change.key, depth) == at).count();
            self.path[depth] = at;
            let is_own = first.existed && count == 1 && branch.leaves & (1 << at) != 0;
            let child = if is_own {
                // A leaf on the way to a key that is there can be no other than its own.
                first.value.map(|value| leaf(first.key, value))
            } else {
                let below = self.load_child(branch, at as usize, depth + 1)?;
                self.apply(&below, depth + 1, &rest[..count])?
            };
            let reference = child.as_deref().map_or(NONE, |child| self.reference(child, depth + 1));
            let is_leaf = matches!(child.as_deref(), Some(Node::Leaf { .. }));
            next.leaves = next.leaves & !(1 << at) | (is_leaf as u16) << at;
            next.references[at as usize] = reference;
            next.children.get_mut()[at as usize] = child;
            self.path[depth] = at;
            if !reference.is_hash() {
                self.remove(depth + 1);
            }
            rest = &rest[count..];
        }
        let mut left = (0..16).filter(|at| !next.references[*at].is_none());
        match (left.next(), left.next()) {
            (None, _) => Ok(None),
            (Some(at), None) => {
                self.path[depth] = at as u8;
                let child = self.load_child(&next, at, depth + 1)?.ok_or("a branch lost its last child")?;
                Ok(Some(self.prefix(&[at as u8], child, depth)))
            }
            _ => Ok(Some(Rc::new(Node::Branch(Box::new(next))))),
        }
    }

    fn apply_to_extension(
        &mut self,
        path: &[u8],
        reference: &Reference,
        child: &RefCell<Link>,
        depth: usize,
        changes: &[Change],
    ) -> Found<Link> {
        let ends = [&changes[0], &changes[changes.len() - 1]];
        let shared = ends.map(|change| shared_nibbles(path, change.key, depth)).into_iter().min().unwrap_or(0);
        self.path[depth..depth + path.len()].copy_from_slice(path);
        if shared == path.len() {
            if child.borrow().is_none() {
                let loaded = self.load(reference, depth + shared)?;
                *child.borrow_mut() = Some(loaded);
            }
            let below = child.borrow().clone();
            let next = self.apply(&below, depth + shared, changes)?;
            self.path[depth..depth + path.len()].copy_from_slice(path);
            if next.is_none() {
                self.remove(depth + shared);
            }
            return Ok(next.map(|next| self.prefix(path, next, depth)));
        }
        // A branch in the middle of the extension, as yet with one child: the rest of it.
        let at = path[shared] as usize;
        let rest = &path[shared + 1..];
        let mut split = Branch { references: [NONE; 16], leaves: 0, children: RefCell::default() };
        let below = match rest {
            [] => child.borrow().clone(),
            _ => Some(extension(rest, *reference, child.borrow().clone())),
        };
        split.references[at] = match (rest, below.as_deref()) {
            ([_, ..], Some(below)) => self.reference(below, depth + shared + 1),
            _ => *reference,
        };
        split.children.get_mut()[at] = below;
        let next = self.apply_to_branch(&split, depth + shared, changes)?;
        self.path[depth..depth + shared].copy_from_slice(&path[..shared]);
        Ok(next.map(|next| if shared == 0 { next } else { self.prefix(&path[..shared], next, depth) }))
    }

    /// What hangs at `depth` when `node` hangs further down, at the end of `path`.
    fn prefix(&mut self, path: &[u8], node: Rc<Node>, depth: usize) -> Rc<Node> {
        if let Node::Branch(_) = &*node {
            let reference = self.reference(&node, depth + path.len());
            return extension(path, reference, Some(node));
        }
        self.path[depth..depth + path.len()].copy_from_slice(path);
        self.remove(depth + path.len());
        match &*node {
            Node::Extension { path: own, reference, child } => {
                extension(&[path, own].concat(), *reference, child.borrow().clone())
            }
            Node::Leaf { key, value } => leaf(key, value),
            Node::Branch(_) => node,
        }
    }

    /// The trie of some entries alone, ascending by key.
    fn build(&mut self, entries: &[(&[u8; 32], &[u8])], depth: usize) -> Link {
        let (first, _) = entries.first()?;
        let (last, _) = entries.last()?;
        if entries.len() == 1 {
            return Some(leaf(first, entries[0].1));
        }
        let fork = (depth..KEY_NIBBLES).find(|at| nibble(first, *at) != nibble(last, *at))?;
        let mut branch = Branch { references: [NONE; 16], leaves: 0, children: RefCell::default() };
        for part in entries.chunk_by(|(a, _), (b, _)| nibble(a, fork) == nibble(b, fork)) {
            let at = nibble(part[0].0, fork) as usize;
            let child = self.build(part, fork + 1)?;
            branch.references[at] = self.reference(&child, fork + 1);
            branch.leaves |= (matches!(&*child, Node::Leaf { .. }) as u16) << at;
            branch.children.get_mut()[at] = Some(child);
        }
        let node = Rc::new(Node::Branch(Box::new(branch)));
        if fork == depth {
            return Some(node);
        }
        let path: Vec<u8> = (depth..fork).map(|at| nibble(first, at)).collect();
        let reference = self.reference(&node, fork);
        Some(extension(&path, reference, Some(node)))
    }

    fn load_child(&mut self, branch: &Branch, at: usize, depth: usize) -> Found<Link> {
        if branch.references[at].is_none() {
            return Ok(None);
        }
        if branch.children.borrow()[at].is_none() {
            let child = self.load(&branch.references[at], depth)?;
            branch.children.borrow_mut()[at] = Some(child);
        }
        Ok(branch.children.borrow()[at].clone())
    }

    fn load(&mut self, reference: &Reference, depth: usize) -> Found<Rc<Node>> {
        let path = &self.path[..depth];
        if !reference.is_hash() {
            return decode(&reference.bytes[..reference.length as usize], 0, path).map(Rc::new);
        }
        let stored = self.source.read(path)?.ok_or("the trie lacks a node")?;
        decode_stored(&stored, path).map(Rc::new)
    }

    fn reference(&mut self, node: &Node, depth: usize) -> Reference {
        self.encoded.clear();
        encode(node, depth, &mut self.encoded);
        reference_of(&self.encoded)
    }

    fn remove(&mut self, length: usize) {
        self.removed.push(self.path[..length].to_vec());
    }
}

pub fn root_hash(root: &Link) -> [u8; 32] {
    root.as_deref().map_or(EMPTY_ROOT, |root| {
        let mut encoded = Vec::with_capacity(600);
        encode(root, 0, &mut encoded);
        keccak256(&encoded).0
    })
}

/// Every node of `after` that `before` has not and that does not stand within its parent: path, and bytes as stored.
pub fn visit_new(after: &Link, before: &Link, path: &mut Vec<u8>, visit: &mut impl FnMut(&[u8], &[u8])) {
    let Some(node) = after else { return };
    if before.as_ref().is_some_and(|before| Rc::ptr_eq(before, node)) {
        return;
    }
    let mut encoded = Vec::with_capacity(600);
    encode(node, path.len(), &mut encoded);
    if encoded.len() < HASH_BYTES && !path.is_empty() {
        return;
    }
    match &**node {
        Node::Leaf { .. } => visit(path, &encoded),
        Node::Extension { path: own, child, .. } => {
            visit(path, &encoded);
            let length = path.len();
            path.extend_from_slice(own);
            let below = match before.as_deref() {
                Some(Node::Extension { child, .. }) => child.borrow().clone(),
                _ => None,
            };
            visit_new(&child.borrow(), &below, path, visit);
            path.truncate(length);
        }
        Node::Branch(branch) => {
            encoded.extend_from_slice(&branch.leaves.to_be_bytes());
            visit(path, &encoded);
            let children = branch.children.borrow();
            for (at, child) in children.iter().enumerate() {
                let below = match before.as_deref() {
                    Some(Node::Branch(before)) => before.children.borrow()[at].clone(),
                    _ => None,
                };
                path.push(at as u8);
                visit_new(child, &below, path, visit);
                path.pop();
            }
        }
    }
}

fn sets<'a>(changes: &'a [Change]) -> Vec<(&'a [u8; 32], &'a [u8])> {
    changes.iter().filter_map(|change| Some((change.key, change.value?))).collect()
}

fn shared_nibbles(path: &[u8], key: &[u8; 32], depth: usize) -> usize {
    path.iter().enumerate().take_while(|(at, own)| **own == nibble(key, depth + at)).count()
}

fn leaf(key: &[u8; 32], value: &[u8]) -> Rc<Node> {
    Rc::new(Node::Leaf { key: *key, value: value.to_vec() })
}

fn extension(path: &[u8], reference: Reference, child: Link) -> Rc<Node> {
    Rc::new(Node::Extension { path: path.to_vec(), reference, child: RefCell::new(child) })
}

fn reference_of(encoded: &[u8]) -> Reference {
    let mut bytes = [0; HASH_BYTES];
    if encoded.len() >= HASH_BYTES {
        return Reference { length: HASH_BYTES as u8, bytes: keccak256(encoded).0 };
    }
    bytes[..encoded.len()].copy_from_slice(encoded);
    Reference { length: encoded.len() as u8, bytes }
}

fn encode(node: &Node, depth: usize, out: &mut Vec<u8>) {
    let mut body = [0u8; 16 * 33 + 1];
    let mut path = [0u8; 33];
    match node {
        Node::Leaf { key, value } => {
            let start = depth.div_ceil(2);
            path[0] = if depth & 1 == 1 { LEAF | ODD | key[depth >> 1] & 0xf } else { LEAF };
            path[1..33 - start].copy_from_slice(&key[start..]);
            let path = &path[..33 - start];
            header(out, 0xc0, string_length(path) + string_length(value));
            string(out, path);
            string(out, value);
        }
        Node::Extension { path: nibbles, reference, .. } => {
            let odd = nibbles.len() & 1;
            path[0] = if odd == 1 { ODD | nibbles[0] } else { 0 };
            for (at, pair) in nibbles[odd..].chunks_exact(2).enumerate() {
                path[1 + at] = pair[0] << 4 | pair[1];
            }
            let path = &path[..1 + nibbles.len() / 2];
            let end = put_reference(&mut body, 0, reference);
            header(out, 0xc0, string_length(path) + end);
            string(out, path);
            out.extend_from_slice(&body[..end]);
        }
        Node::Branch(branch) => {
            let mut end = 0;
            for reference in &branch.references {
                end = put_reference(&mut body, end, reference);
            }
            body[end] = 0x80;
            header(out, 0xc0, end + 1);
            out.extend_from_slice(&body[..=end]);
        }
    }
}

fn put_reference(body: &mut [u8], at: usize, reference: &Reference) -> usize {
    let length = reference.length as usize;
    if length == 0 || length == HASH_BYTES {
        body[at] = 0x80 + length as u8;
        body[at + 1..at + 1 + length].copy_from_slice(&reference.bytes[..length]);
        return at + 1 + length;
    }
    body[at..at + length].copy_from_slice(&reference.bytes[..length]);
    at + length
}

fn header(out: &mut Vec<u8>, kind: u8, length: usize) {
    match length {
        0..=55 => out.push(kind + length as u8),
        56..=255 => out.extend_from_slice(&[kind + 56, length as u8]),
        _ => out.extend_from_slice(&[kind + 57, (length >> 8) as u8, length as u8]),
    }
}

fn string_length(bytes: &[u8]) -> usize {
    match bytes {
        [byte] if *byte < 0x80 => 1,
        _ => bytes.len() + if bytes.len() <= 55 { 1 } else { 2 + (bytes.len() > 255) as usize },
    }
}

fn string(out: &mut Vec<u8>, bytes: &[u8]) {
    if string_length(bytes) > 1 || bytes.is_empty() {
        header(out, 0x80, bytes.len());
    }
    out.extend_from_slice(bytes);
}

fn decode_stored(stored: &[u8], path: &[u8]) -> Found<Node> {
    let (_, start, end) = item(stored, 0)?;
    match stored.len() - end {
        0 => decode(&stored[..end], 0, path),
        2 if start < end => decode(&stored[..end], u16::from_be_bytes([stored[end], stored[end + 1]]), path),
        _ => Err("a node of the trie has a wrong length".into()),
    }
}

fn decode(rlp: &[u8], leaves: u16, path: &[u8]) -> Found<Node> {
    let broken = || String::from("a node of the trie is damaged");
    let (is_list, start, end) = item(rlp, 0)?;
    if !is_list || end != rlp.len() {
        return Err(broken());
    }
    let (_, first, first_end) = item(rlp, start)?;
    let (is_second_list, second, second_end) = item(rlp, first_end)?;
    if second_end != end {
        let mut references = [NONE; 16];
        let mut at = start;
        for reference in &mut references {
            (*reference, at) = read_reference(rlp, at)?;
        }
        if rlp.get(at) != Some(&0x80) || at + 1 != end {
            return Err(broken());
        }
        return Ok(Node::Branch(Box::new(Branch { references, leaves, children: RefCell::default() })));
    }
    let encoded = &rlp[first..first_end];
    let flags = *encoded.first().ok_or_else(broken)?;
    let mut nibbles: Vec<u8> = if flags & ODD != 0 { vec![flags & 0xf] } else { Vec::new() };
    nibbles.extend(encoded[1..].iter().flat_map(|byte| [byte >> 4, byte & 0xf]));
    if path.len() + nibbles.len() > KEY_NIBBLES {
        return Err(broken());
    }
    if flags & LEAF == 0 {
        let (reference, at) = read_reference(rlp, first_end)?;
        if nibbles.is_empty() || reference.is_none() || at != end {
            return Err(broken());
        }
        return Ok(Node::Extension { path: nibbles, reference, child: RefCell::default() });
    }
    let mut key = [0; 32];
    for (at, own) in path.iter().chain(&nibbles).enumerate() {
        key[at >> 1] |= if at & 1 == 1 { *own } else { own << 4 };
    }
    match path.len() + nibbles.len() == KEY_NIBBLES && !is_second_list {
        true => Ok(Node::Leaf { key, value: rlp[second..second_end].to_vec() }),
        false => Err(broken()),
    }
}

fn read_reference(rlp: &[u8], at: usize) -> Found<(Reference, usize)> {
    let (is_list, start, end) = item(rlp, at)?;
    let own = if is_list { &rlp[at..end] } else { &rlp[start..end] };
    let is_right = if is_list { own.len() < HASH_BYTES } else { own.is_empty() || own.len() == HASH_BYTES };
    if !is_right || (!is_list && start == at) {
        return Err("a reference of the trie is damaged".into());
    }
    let mut bytes = [0; HASH_BYTES];
    bytes[..own.len()].copy_from_slice(own);
    Ok((Reference { length: own.len() as u8, bytes }, end))
}

/// Whether it is a list, where its content begins and where it ends.
fn item(rlp: &[u8], at: usize) -> Found<(bool, usize, usize)> {
    let cut = || String::from("a node of the trie is cut off");
    let first = *rlp.get(at).ok_or_else(cut)?;
    let byte = |index: usize| rlp.get(at + index).map(|byte| *byte as usize).ok_or_else(cut);
    let (is_list, start, length) = match first {
        0..0x80 => (false, at, 1),
        0x80..0xb8 => (false, at + 1, first as usize - 0x80),
        0xb8 => (false, at + 2, byte(1)?),
        0xb9 => (false, at + 3, byte(1)? << 8 | byte(2)?),
        0xc0..0xf8 => (true, at + 1, first as usize - 0xc0),
        0xf8 => (true, at + 2, byte(1)?),
        0xf9 => (true, at + 3, byte(1)? << 8 | byte(2)?),
        _ => return Err("a node of the trie is damaged".into()),
    };
    if start + length > rlp.len() { Err(cut()) } else { Ok((is_list, start, start + length)) }
}
