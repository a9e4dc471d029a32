import type { Plants } from './plant.ts'

const FILE = 'src/consensus/signature-log.ts'
const FRAMES = 'src/consensus/votes-frames.ts'
const FILE_TEST = 'src/consensus/signature-log.test.ts'
const RECORD_VOTE = 'src/consensus/bft/record-signature.ts'
const RECORD_VOTE_TEST = 'src/consensus/bft/record-signature.test.ts'
const TORN_FILES_TEST = 'test/adversarial/crash/torn-files.test.ts'

export const VOTES_PLANTS: Plants = {
  'votes-foreign-network': {
    mistake: 'votes of another network bind this validator',
    file: FILE,
    from: '  if (!equalBytes(found.subarray(0, NETWORK_END), head.subarray(0, NETWORK_END)))\n    throw otherNetwork(options.path)\n',
    to: '',
    caughtBy: FILE_TEST,
  },
  'votes-other-key-trusted': {
    mistake: 'votes of another key count as those of this one',
    file: FILE,
    from: '  if (!equalBytes(found, head)) return LOST\n',
    to: '',
    caughtBy: FILE_TEST,
  },
  'votes-damaged-head-trusted': {
    mistake: 'a file with a damaged head is read as an empty one',
    file: FILE,
    from: 'if (found.length < head.length || !hasChecksum(found, options.keccak)) return LOST',
    to: 'if (found.length < head.length || !hasChecksum(found, options.keccak)) return NOTHING_THERE',
    caughtBy: FILE_TEST,
  },
  'votes-checksum-ignored': {
    mistake: 'a record whose bytes changed on the disk is believed',
    file: FRAMES,
    from: 'return equalBytes(expected, checksumOf(record, keccak)) ? { record, end } : undefined',
    to: 'return { record, end }',
    caughtBy: FILE_TEST,
  },
  'votes-tail-ignored': {
    mistake:
      'whatever follows the last whole record is taken for a torn write, so that votes are dropped silently',
    file: FRAMES,
    from: 'return !mayHoldRecord(bytes, offset + 1, keccak)',
    to: 'return true',
    caughtBy: FILE_TEST,
  },
  'votes-length-flip': {
    mistake: 'a flipped bit in the length of a record drops it silently',
    file: FRAMES,
    from: 'if (recordOf(bytes, offset, rlpLengthAt(bytes, offset + HEAD_BYTES), keccak) !== undefined) return false',
    to: '',
    caughtBy: FILE_TEST,
  },
  'votes-older-round-signed': {
    mistake: 'a vote for an older round is signed',
    file: RECORD_VOTE,
    from: '(height < record.height || (height === record.height && round < record.round))',
    to: 'height < record.height',
    caughtBy: RECORD_VOTE_TEST,
  },
  'votes-older-height-signed': {
    mistake: 'a vote for an older height is signed',
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
    mistake: 'a round change is signed in a round in which a vote was signed',
    file: RECORD_VOTE,
    from: '    if (current.proposal ?? current.prepare ?? current.commit) return undefined\n',
    to: '',
    caughtBy: RECORD_VOTE_TEST,
  },
  'votes-certificate-forgotten': {
    mistake: 'the certificate is lost with the next round',
    file: RECORD_VOTE,
    from: 'certificate: isSameHeight ? record?.certificate : undefined',
    to: 'certificate: undefined',
    caughtBy: RECORD_VOTE_TEST,
  },
  'votes-not-synced': {
    mistake: 'a vote is signed before its record is on the disk',
    file: 'src/platform/files/append-file.ts',
    from: '        await handle.datasync()\n',
    to: '',
    caughtBy: TORN_FILES_TEST,
  },
  'votes-renamed-before-sync': {
    mistake: 'the new file of votes is renamed before its content is on the disk',
    file: 'src/platform/files/append-file.ts',
    from: '    await fresh.sync()\n',
    to: '',
    caughtBy: TORN_FILES_TEST,
  },
  'votes-directory-not-synced': {
    mistake: 'the new name of the file of votes is lost with the power',
    file: 'src/platform/files/append-file.ts',
    from: '    await syncDirectory(dirname(path))\n',
    to: '',
    caughtBy: TORN_FILES_TEST,
  },
  'votes-driver-answers-early': {
    mistake: 'the driver says that a record is durable before it is',
    file: 'src/consensus/driver.ts',
    from: '    await votes.save(action.record)\n',
    to: '    void votes.save(action.record)\n',
    caughtBy: 'src/consensus/driver-persists.test.ts',
  },
  'signer-believed': {
    mistake: 'a signature by another key than the one of the node is used',
    file: 'src/p2p/signer/checked-node-key.ts',
    from: 'return equalBytes(recover(digest, signature), publicKey)',
    to: 'return recover(digest, signature).length > 0',
    caughtBy: 'src/p2p/signer/http-signer.test.ts',
  },
  'signer-answers-unbounded': {
    mistake: 'an answer over HTTP is read to its end, however long it is',
    file: 'src/platform/http-client.ts',
    from: '        if (bytes > maxAnswerBytes) break\n',
    to: '',
    caughtBy: 'src/p2p/signer/http-signer.test.ts',
  },
  'votes-behind-failed-write': {
    mistake: 'a record is appended behind what a failed write left',
    file: FILE,
    from: '    mustReplace = true\n',
    to: '',
    caughtBy: FILE_TEST,
  },
  'votes-empty-lost': {
    mistake: 'an empty file that a crash left keeps a new validator from ever signing',
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
