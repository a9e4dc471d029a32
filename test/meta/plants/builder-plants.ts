import type { Plants } from './plant.ts'

const FILL = 'src/chain/build/fill-block.ts'
const FILL_TEST = 'src/chain/build/fill-block.test.ts'
const SIZE = 'src/chain/rules/block-size.ts'
const SIZE_TEST = 'src/chain/rules/block-size.test.ts'

export const BUILDER_PLANTS: Plants = {
  'builder-any-bytes': {
    mistake: 'a built block is too long for any message',
    file: FILL,
    from: '} else if (candidate.bytes <= bytesLeft) {',
    to: '} else if (candidate.bytes > 0) {',
    caughtBy: FILL_TEST,
  },
  'builder-bytes-not-counted': {
    mistake: 'the bytes of earlier batches are not counted',
    file: FILL,
    from: '        this.#bytes += bytes\n',
    to: '',
    caughtBy: FILL_TEST,
  },
  'builder-refused-takes-room': {
    mistake: 'a long transaction that is refused keeps the next one out of the block',
    file: FILL,
    from: '      } else if (batch.length > 0) {',
    to: '      } else if (batch.length > 1_000) {',
    caughtBy: FILL_TEST,
  },
  'builder-misfits-end-block': {
    mistake: 'transactions that ask for the gas of a complete block keep all others out',
    file: FILL,
    from: '(this.#misfits >= MAX_MISFITS && this.#isAlmostFull())',
    to: 'this.#misfits >= MAX_MISFITS',
    caughtBy: FILL_TEST,
  },
  'builder-misfits-reported': {
    mistake: 'every transaction that does not fit counts towards the limit of tried candidates',
    file: FILL,
    from: 'if (this.#reportedMisfits++ < MAX_REPORTED_MISFITS) this',
    to: 'this',
    caughtBy: FILL_TEST,
  },
  'builder-misfits-executed': {
    mistake: 'each transaction that does not fit costs an engine call',
    file: FILL,
    from: 'else if (gasLimit > gasLeft && gasLimit <= this.#gasLimit) {',
    to: 'else if (gasLimit < 0n) {',
    caughtBy: FILL_TEST,
  },
  'builder-full-goes-on': {
    mistake: 'a full block requests every candidate of the pool',
    file: FILL,
    from: '(this.#misfits >= MAX_MISFITS && this.#isAlmostFull())',
    to: 'false',
    caughtBy: FILL_TEST,
  },
  'builder-any-transaction-size': {
    mistake: 'a block of this node contains a transaction above the maximum size',
    file: FILL,
    from: 'if (encoded.length > MAX_TRANSACTION_BYTES) {',
    to: 'if (encoded.length > 2 * MAX_TRANSACTION_BYTES) {',
    caughtBy: FILL_TEST,
  },
  'stop-waits-for-bodies': {
    mistake: 'a stop waits for request bodies that never arrive',
    file: 'src/serve/serve-http.ts',
    from: 'if (!request.complete) request.socket.destroy()',
    to: 'if (request.complete) request.socket.destroy()',
    caughtBy: 'src/serve/serve-http.test.ts',
  },
  'block-size-unlimited': {
    mistake: 'validators accept a block that is too long for messages',
    file: 'src/chain/rules/validate-body.ts',
    from: '    refuseSize(header, bodyBytes, rules) ??\n',
    to: '',
    caughtBy: SIZE_TEST,
  },
  'block-size-osaka-bft': {
    mistake: 'BFT blocks that Besu accepts from Osaka on are refused for their size',
    file: SIZE,
    from: "rules.has('osaka') && rules.consensus !== 'bft' &&",
    to: "rules.has('osaka') &&",
    caughtBy: SIZE_TEST,
  },
  'block-size-osaka-ignored': {
    mistake: 'EIP-7934 is not applied to networks without validators',
    file: SIZE,
    from: 'if (!hasOsakaLimit(rules)) return undefined',
    to: 'if (rules.fork.length > 0) return undefined',
    caughtBy: SIZE_TEST,
  },
  'block-size-with-header': {
    mistake: 'the size of a block depends on the seals in its header',
    file: SIZE,
    from: 'if (bodyBytes > MAX_BODY_BYTES) return',
    to: 'if (bodyBytes + header.extraData.length > MAX_BODY_BYTES) return',
    caughtBy: SIZE_TEST,
  },
}
