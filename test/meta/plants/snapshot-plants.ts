/** State files: an untrusted file that is believed, or a state that does not survive its file. */
import type { Plants } from './plant.ts'

const CHECK = 'src/chain/snapshot/header-check.ts'
const IMPORT = 'src/chain/snapshot/import-snapshot.ts'
const HEAD_BLOCK = 'src/chain/snapshot/head-block.ts'
const CHUNKS = 'src/chain/snapshot/chunks.ts'
const EXPORT = 'src/chain/snapshot/export-snapshot.ts'
const SNAPSHOT_TEST = 'src/consensus/snapshot.test.ts'
const STATE_IMPORT = 'src/store/snapshot/state-import.ts'
const STATE_TEST = 'src/store/snapshot/state-import.test.ts'

export const SNAPSHOT_PLANTS: Plants = {
  'snapshot-false-state': {
    mistake: 'a state with a different root than its block is accepted',
    file: IMPORT,
    from: 'if (hashFromBytes(root) !== header.stateRoot) {',
    to: 'if (root.length === 0) {',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-usurpers': {
    mistake: 'validators vouch for the blocks that voted them in',
    file: CHECK,
    from: 'if (isLast || !isSame) await',
    to: 'if (isLast) await',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-unsealed-head': {
    mistake: 'a state is accepted although its block has no seals',
    file: CHECK,
    from: 'if (isLast || !isSame) await',
    to: 'if (!isSame) await',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-trusted-hash-ignored': {
    mistake: 'a state of another block than the trusted one is accepted',
    file: CHECK,
    from: 'if (trustedHash !== undefined && trustedHash !== head.hash) {',
    to: 'if (trustedHash !== undefined && head.number < 0) {',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-trusted-hash-unsealed': {
    mistake: 'with a trusted hash the block needs no seals',
    file: CHECK,
    from: 'else if (isLast && !this.#needsState(parent)) await',
    to: 'else if (head.number < 0) await',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-padded-headers': {
    mistake: 'padded headers in a file are stored and served',
    file: CHECK,
    from: 'if (encoding !== undefined) throw',
    to: "if (encoding === '') throw",
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-other-head': {
    mistake: 'the last header differs from the one that the file promises',
    file: CHECK,
    from: 'if (isLast && hash !== head.hash) {',
    to: 'if (isLast && head.number < 0) {',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-contract-unasked': {
    mistake: 'a file needs no trusted hash although a contract defines the validators',
    file: CHECK,
    from: 'if (!this.#needsState(parent)) return\n',
    to: 'if (parent !== undefined) return\n',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-other-network': {
    mistake: "the import of another network's state begins",
    file: IMPORT,
    from: 'if (head.genesisHash !== genesisHash) {',
    to: 'if (head.number < 0) {',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-headers-missing': {
    mistake: 'the headers end before the block of the state',
    file: IMPORT,
    from: 'if (number === BigInt(head.number)) return',
    to: 'if (number <= BigInt(head.number)) return',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-resumes-with-other-file': {
    mistake: 'an interrupted import continues with another file',
    file: IMPORT,
    from: 'if (chunk.check === check) return { offset, chunk }',
    to: 'if (chunk.check !== -1) return { offset, chunk }',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-trailing-bytes': {
    mistake: 'bytes after the end of a file are ignored',
    file: IMPORT,
    from: 'if (chunk.end !== source.bytes) throw',
    to: 'if (chunk.end > source.bytes) throw',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-counts-ignored': {
    mistake: 'a file with wrong numbers of accounts and slots is accepted',
    file: IMPORT,
    from: 'if (accounts !== target.counts.accounts || slots !== target.counts.slots)',
    to: 'if (accounts < 0 || slots < 0)',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-other-body': {
    mistake: 'the body belongs to another block',
    file: HEAD_BLOCK,
    from: 'if (problem === undefined) return block',
    to: "if (problem !== '') return block",
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-other-receipts': {
    mistake: 'the receipts belong to another block',
    file: HEAD_BLOCK,
    from: 'if (root !== header.receiptsRoot) {',
    to: 'if (root.length === 0) {',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-damage-unnoticed': {
    mistake: 'a damaged chunk is read as if it were intact',
    file: CHUNKS,
    from: 'if (checkOf(Buffer.concat([head, packed])) !== check) throw',
    to: 'if (check < 0) throw',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-code-left-out': {
    mistake: 'the file lacks the code of contracts',
    file: EXPORT,
    from: 'return { bytes: source.code(hash) }',
    to: 'return { hash }',
    caughtBy: SNAPSHOT_TEST,
  },
  'snapshot-accounts-in-disorder': {
    mistake: 'accounts may come in any order, which changes the trie',
    file: STATE_IMPORT,
    from: 'if (!this.#accounts.isNext(hash)) return false',
    to: 'if (hash.length === 0) return false',
    caughtBy: STATE_TEST,
  },
}
