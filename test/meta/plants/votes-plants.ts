import type { Plants } from './plant.ts'

const FILE = 'src/consensus/signature-log.ts'
const FRAMES = 'src/consensus/votes-frames.ts'
const FILE_TEST = 'src/consensus/signature-log.test.ts'
const RECORD_VOTE = 'src/consensus/bft/record-signature.ts'
const RECORD_VOTE_TEST = 'src/consensus/bft/record-signature.test.ts'
const TORN_FILES_TEST = 'test/adversarial/crash/torn-files.test.ts'

export const VOTES_PLANTS: Plants = {
  'votes-foreign-network': {
    mistake: 'signatures of another network bind this validator',
    file: FILE,
    from: '  if (!equalBytes(found.subarray(0, NETWORK_END), head.subarray(0, NETWORK_END)))\n    throw otherNetwork(options.path)\n',
    to: '',
    caughtBy: FILE_TEST,
  },
  'votes-other-key-trusted': {
    mistake: "signatures of another key count as this validator's",
    file: FILE,
    from: '  if (!equalBytes(found, head)) return LOST\n',
    to: '',
    caughtBy: FILE_TEST,
  },
  'votes-damaged-head-trusted': {
    mistake: 'a file with a damaged header is read as an empty one',
    file: FILE,
    from: 'if (found.length < head.length || !hasChecksum(found, options.keccak)) return LOST',
    to: 'if (found.length < head.length || !hasChecksum(found, options.keccak)) return NOTHING_THERE',
    caughtBy: FILE_TEST,
  },
  'votes-checksum-ignored': {
    mistake: 'an entry with changed bytes on disk is accepted',
    file: FRAMES,
    from: 'return equalBytes(expected, checksumOf(record, keccak)) ? { record, end } : undefined',
    to: 'return { record, end }',
    caughtBy: FILE_TEST,
  },
  'votes-tail-ignored': {
    mistake:
      'everything after the last complete entry counts as a torn write, so entries are dropped silently',
    file: FRAMES,
    from: 'return !mayHoldRecord(bytes, offset + 1, keccak)',
    to: 'return true',
    caughtBy: FILE_TEST,
  },
  'votes-length-flip': {
    mistake: 'a flipped bit in the length of an entry drops it silently',
    file: FRAMES,
    from: 'if (recordOf(bytes, offset, rlpLengthAt(bytes, offset + HEAD_BYTES), keccak) !== undefined) return false',
    to: '',
    caughtBy: FILE_TEST,
  },
  'votes-older-round-signed': {
    mistake: 'a message for an older round is signed',
    file: RECORD_VOTE,
    from: '(height < record.height || (height === record.height && round < record.round))',
    to: 'height < record.height',
    caughtBy: RECORD_VOTE_TEST,
  },
  'votes-older-height-signed': {
    mistake: 'a message for an older height is signed',
    file: RECORD_VOTE,
    from: '(height < record.height || (height === record.height && round < record.round))',
    to: 'height === record.height && round < record.round',
    caughtBy: RECORD_VOTE_TEST,
  },
  'votes-other-digest-signed': {
    mistake: 'two different blocks are signed in one round',
    file: RECORD_VOTE,
    from: 'if (signed !== undefined) return signed === digest ? current : undefined',
    to: 'if (signed !== undefined && signed === digest) return current',
    caughtBy: RECORD_VOTE_TEST,
  },
  'votes-after-round-change': {
    mistake: 'a round change is signed in a round with an earlier signature',
    file: RECORD_VOTE,
    from: '    if (current.proposal ?? current.prepare ?? current.commit) return undefined\n',
    to: '',
    caughtBy: RECORD_VOTE_TEST,
  },
  'votes-certificate-forgotten': {
    mistake: 'the next round drops the certificate',
    file: RECORD_VOTE,
    from: 'certificate: isSameHeight ? record?.certificate : undefined',
    to: 'certificate: undefined',
    caughtBy: RECORD_VOTE_TEST,
  },
  'votes-not-synced': {
    mistake: 'a message is signed before its entry is on disk',
    file: 'src/platform/files/append-file.ts',
    from: '        await handle.datasync()\n',
    to: '',
    caughtBy: TORN_FILES_TEST,
  },
  'votes-renamed-before-sync': {
    mistake: 'the new signature log is renamed before its content is on disk',
    file: 'src/platform/files/append-file.ts',
    from: '    await fresh.sync()\n',
    to: '',
    caughtBy: TORN_FILES_TEST,
  },
  'votes-directory-not-synced': {
    mistake: 'a power cut loses the new name of the signature log',
    file: 'src/platform/files/append-file.ts',
    from: '    await syncDirectory(dirname(path))\n',
    to: '',
    caughtBy: TORN_FILES_TEST,
  },
  'votes-driver-answers-early': {
    mistake: 'the driver reports an entry as durable before it is',
    file: 'src/consensus/driver.ts',
    from: '    await votes.save(action.record)\n',
    to: '    void votes.save(action.record)\n',
    caughtBy: 'src/consensus/driver-persists.test.ts',
  },
  'signer-believed': {
    mistake: "a signature by a different key than the node's is used",
    file: 'src/p2p/signer/checked-node-key.ts',
    from: 'return equalBytes(recover(digest, signature), publicKey)',
    to: 'return recover(digest, signature).length > 0',
    caughtBy: 'src/p2p/signer/http-signer.test.ts',
  },
  'signer-answers-unbounded': {
    mistake: 'an HTTP answer is read to its end, regardless of its length',
    file: 'src/platform/http-client.ts',
    from: '        if (bytes > maxAnswerBytes) break\n',
    to: '',
    caughtBy: 'src/p2p/signer/http-signer.test.ts',
  },
  'votes-behind-failed-write': {
    mistake: 'an entry is appended after the remains of a failed write',
    file: FILE,
    from: '    mustReplace = true\n',
    to: '',
    caughtBy: FILE_TEST,
  },
  'votes-empty-lost': {
    mistake: 'an empty file after a crash keeps a new validator from ever signing',
    file: FILE,
    from: 'const existing = found?.length === 0 ? undefined : found',
    to: 'const existing = found',
    caughtBy: FILE_TEST,
  },
  'votes-created-empty': {
    mistake: 'a crash during the first start leaves an empty file',
    file: FILE,
    from: '? await createAppendFile(path, head)',
    to: '? await openAppendFile(path, 0).then(async (opened) => (await opened.replace(head), opened))',
    caughtBy: FILE_TEST,
  },
}
