import type { Plants } from './plant.ts'

const FILE = 'src/consensus/signature-log.ts'
const ENTRIES = 'src/consensus/signature-log-entries.ts'
const FILE_TEST = 'src/consensus/signature-log.test.ts'
const RECORD_SIGNATURE = 'src/consensus/bft/record-signature.ts'
const RECORD_SIGNATURE_TEST = 'src/consensus/bft/record-signature.test.ts'
const TORN_FILES_TEST = 'test/adversarial/crash/torn-files.test.ts'

export const SIGNATURE_LOG_PLANTS: Plants = {
  'signatures-foreign-network': {
    mistake: 'signatures of another network bind this validator',
    file: FILE,
    from: '  if (!equalBytes(found.subarray(0, NETWORK_END), head.subarray(0, NETWORK_END)))\n    throw otherNetwork(options.path)\n',
    to: '',
    caughtBy: FILE_TEST,
  },
  'signatures-other-key-trusted': {
    mistake: "signatures of another key count as this validator's",
    file: FILE,
    from: '  if (!equalBytes(found, head)) return LOST\n',
    to: '',
    caughtBy: FILE_TEST,
  },
  'signatures-damaged-head-trusted': {
    mistake: 'a file with a damaged header is read as an empty one',
    file: FILE,
    from: 'if (found.length < head.length || !hasChecksum(found, options.keccak)) return LOST',
    to: 'if (found.length < head.length || !hasChecksum(found, options.keccak)) return NOTHING_THERE',
    caughtBy: FILE_TEST,
  },
  'signatures-checksum-ignored': {
    mistake: 'an entry with changed bytes on disk is accepted',
    file: ENTRIES,
    from: 'return equalBytes(expected, checksumOf(entry, keccak)) ? { entry, end } : undefined',
    to: 'return { entry, end }',
    caughtBy: FILE_TEST,
  },
  'signatures-tail-ignored': {
    mistake:
      'everything after the last complete entry counts as a torn write, so entries are dropped silently',
    file: ENTRIES,
    from: 'return !mayHoldEntry(bytes, offset + 1, keccak)',
    to: 'return true',
    caughtBy: FILE_TEST,
  },
  'signatures-length-flip': {
    mistake: 'a flipped bit in the length of an entry drops it silently',
    file: ENTRIES,
    from: 'if (entryOf(bytes, offset, rlpLengthAt(bytes, offset + HEAD_BYTES), keccak) !== undefined) return false',
    to: '',
    caughtBy: FILE_TEST,
  },
  'signatures-older-round-signed': {
    mistake: 'a message for an older round is signed',
    file: RECORD_SIGNATURE,
    from: '(height < entry.height || (height === entry.height && round < entry.round))',
    to: 'height < entry.height',
    caughtBy: RECORD_SIGNATURE_TEST,
  },
  'signatures-older-height-signed': {
    mistake: 'a message for an older height is signed',
    file: RECORD_SIGNATURE,
    from: '(height < entry.height || (height === entry.height && round < entry.round))',
    to: 'height === entry.height && round < entry.round',
    caughtBy: RECORD_SIGNATURE_TEST,
  },
  'signatures-other-digest-signed': {
    mistake: 'two different blocks are signed in one round',
    file: RECORD_SIGNATURE,
    from: 'if (signed !== undefined) return signed === digest ? current : undefined',
    to: 'if (signed !== undefined && signed === digest) return current',
    caughtBy: RECORD_SIGNATURE_TEST,
  },
  'signatures-after-round-change': {
    mistake: 'a round change is signed in a round with an earlier signature',
    file: RECORD_SIGNATURE,
    from: '    if (current.proposal ?? current.prepare ?? current.commit) return undefined\n',
    to: '',
    caughtBy: RECORD_SIGNATURE_TEST,
  },
  'signatures-certificate-forgotten': {
    mistake: 'the next round drops the certificate',
    file: RECORD_SIGNATURE,
    from: 'certificate: isSameHeight ? entry?.certificate : undefined',
    to: 'certificate: undefined',
    caughtBy: RECORD_SIGNATURE_TEST,
  },
  'signatures-not-synced': {
    mistake: 'a message is signed before its entry is on disk',
    file: 'src/platform/files/append-file.ts',
    from: '        await handle.datasync()\n',
    to: '',
    caughtBy: TORN_FILES_TEST,
  },
  'signatures-renamed-before-sync': {
    mistake: 'the new signature log is renamed before its content is on disk',
    file: 'src/platform/files/append-file.ts',
    from: '    await fresh.sync()\n',
    to: '',
    caughtBy: TORN_FILES_TEST,
  },
  'signatures-directory-not-synced': {
    mistake: 'a power cut loses the new name of the signature log',
    file: 'src/platform/files/append-file.ts',
    from: '    await syncDirectory(dirname(path))\n',
    to: '',
    caughtBy: TORN_FILES_TEST,
  },
  'signatures-driver-answers-early': {
    mistake: 'the driver reports an entry as durable before it is',
    file: 'src/consensus/driver.ts',
    from: '    await signatureLog.save(action.entry)\n',
    to: '    void signatureLog.save(action.entry)\n',
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
  'signatures-behind-failed-write': {
    mistake: 'an entry is appended after the remains of a failed write',
    file: FILE,
    from: '    mustReplace = true\n',
    to: '',
    caughtBy: FILE_TEST,
  },
  'signatures-empty-lost': {
    mistake: 'an empty file after a crash keeps a new validator from ever signing',
    file: FILE,
    from: 'const existing = found?.length === 0 ? undefined : found',
    to: 'const existing = found',
    caughtBy: FILE_TEST,
  },
  'signatures-created-empty': {
    mistake: 'a crash during the first start leaves an empty file',
    file: FILE,
    from: '? await createAppendFile(path, head)',
    to: '? await openAppendFile(path, 0).then(async (opened) => (await opened.replace(head), opened))',
    caughtBy: FILE_TEST,
  },
}
