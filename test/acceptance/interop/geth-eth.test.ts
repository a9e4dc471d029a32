/** geth's eth protocol test suites against the real program, with geth's own chains. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import {
  findGethChain,
  findGethProgram,
  type GethChain,
  type GethVersion,
} from '../../support/geth-program.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { startNode } from '../../support/running-node.ts'

const run = promisify(execFile)

/** The suite waits two seconds for each message; a busy machine may need longer. */
const ATTEMPTS = 4
const RUN_MAX_MS = 300_000

const SHARED = [
  'Status',
  'MaliciousHandshake',
  'GetBlockHeaders',
  'SimultaneousRequests',
  'SameRequestID',
  'ZeroRequestID',
  'GetBlockBodies',
  'LargeTxRequest',
  'Transaction',
] as const

interface Suite {
  readonly version: GethVersion
  readonly all: number
  readonly met: readonly string[]
  /** Tests that are not met. */
  readonly exceptions: readonly Exception[]
}

interface Exception {
  readonly name: string
  readonly reason: string
  /** The line that the suite prints. */
  readonly printed: string
}

const BLOBS = ['BlobViolations', 'TestBlobTxWithoutSidecar', 'TestBlobTxWithMismatchedSidecar'] as const

/**
 * The suite's transactions pay little. InvalidTxs contains two that are meant to be too large and are not: the suite expects
 * a refusal because another transaction has their nonce and pays the same price. With --min-gas-price=0 the same price is
 * enough to replace it, here as in Besu, unless the pool demands a gas price bump.
 */
const POOL = ['--min-gas-price=0', '--tx-pool-price-bump=10'] as const

const SUITES: readonly Suite[] = [
  {
    version: 'v1.17.0',
    all: 19,
    met: [
      ...SHARED,
      ...BLOBS,
      'BlockRangeUpdateExpired',
      'BlockRangeUpdateFuture',
      'BlockRangeUpdateInvalid',
      'GetNonexistentBlockHeaders',
      'GetReceipts',
      'InvalidTxs',
      'NewPooledTxs',
    ],
    exceptions: [],
  },
  {
    version: 'v1.15.11',
    all: 15,
    met: [...SHARED, ...BLOBS, 'GetNonexistentBlockHeaders', 'InvalidTxs'],
    exceptions: [
      {
        name: 'NewPooledTxs',
        reason:
          'up to eth/68 Status has no head number, so Cairn requests the head, which the test does not expect',
        printed: 'unexpected (*eth.GetBlockHeadersPacket)',
      },
    ],
  },
]

/** The suite sends transactions only after a consensus client's forkchoice update; it ignores the answer. */
async function answerEngine(context: TestContext): Promise<string> {
  const status = { status: 'VALID', latestValidHash: null, validationError: null }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (piece) => {
      text += piece
    })
    request.on('end', () => {
      const { id } = JSON.parse(text) as { readonly id: unknown }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { payloadStatus: status, payloadId: null } }))
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  context.after(() => server.close())
  const { port } = server.address() as { readonly port: number }
  return `http://127.0.0.1:${port}`
}

/** One version of the tool and the chain that comes with it. */
class GethTool {
  readonly #devp2p: string
  readonly #chain: GethChain

  static find(version: GethVersion): GethTool | undefined {
    const devp2p = findGethProgram('devp2p', version)
    const chain = devp2p === undefined ? undefined : findGethChain(version)
    return chain === undefined ? undefined : new GethTool(devp2p!, chain)
  }

  constructor(devp2p: string, chain: GethChain) {
    this.#devp2p = devp2p
    this.#chain = chain
  }

  importChain(context: TestContext): string {
    const data = temporaryDirectory(context)
    const args = [
      `--data-path=${data}`,
      ...this.#network(),
      'blocks',
      'import',
      '--skip-pow-validation-enabled',
    ]
    const imported = cairn([...args, this.#chain.chainFile])
    assert.equal(imported.code, 0, imported.stderr)
    return data
  }

  /** Starts a node with geth's chain. */
  async startNode(context: TestContext, data: string) {
    const options = [...this.#network(), ...POOL, '--discovery-enabled=false']
    const node = await startNode(options, data)
    context.after(() => node.kill())
    const enode = /Enode URL (enode:\/\/[^\s"]+)/.exec(node.output())?.[1]
    assert.ok(enode, node.output())
    return { node, enode }
  }

  /** Returns the suite's output. */
  async run(enode: string, engine: string, names: readonly string[]): Promise<string> {
    const args = ['--chain', this.#chain.folder, '--node', enode, '--engineapi', engine]
    const secret = ['--jwtsecret', `0x${'11'.repeat(32)}`]
    const asked = ['rlpx', 'eth-test', ...args, ...secret, '--tap', '--run', `^(${names.join('|')})$`]
    // The tool exits with 1 if a test fails, and its output names the test.
    return run(this.#devp2p, asked, { timeout: RUN_MAX_MS }).then(
      ({ stdout }) => stdout,
      (error: { readonly stdout?: string }) => error.stdout ?? '',
    )
  }

  #network(): readonly string[] {
    return [`--genesis-file=${this.#chain.genesisFile}`, `--network-id=${this.#chain.networkId}`]
  }
}

function passedIn(printed: string): ReadonlySet<string> {
  return new Set([...printed.matchAll(/^ok \d+ (\S+)/gm)].map(([, name]) => name!))
}

const NO_GO = 'Go is missing, which fetches the devp2p tool of geth and its chain'

for (const { version, all, met, exceptions } of SUITES) {
  const tool = GethTool.find(version)
  const skip = tool === undefined && NO_GO
  const name = `the suite of geth ${version} for eth is met, ${met.length} of ${all}`
  test(name, { skip, timeout: 1_200_000 }, async (context) => {
    assert.equal(met.length + exceptions.length, all)
    const data = tool!.importChain(context)
    const engine = await answerEngine(context)
    let left = met
    let last = ''
    for (let attempt = 0; attempt < ATTEMPTS && left.length > 0; attempt++) {
      // A pool that already has the transactions of InvalidTxs would not announce them again.
      const { node, enode } = await tool!.startNode(context, data)
      last = await tool!.run(enode, engine, left)
      await node.stop()
      const passed = passedIn(last)
      left = left.filter((each) => !passed.has(each))
    }
    assert.deepEqual(left, [], last)
  })

  for (const { name, reason, printed } of exceptions) {
    test(`${name} of geth ${version} is not met: ${reason}`, { skip, timeout: 600_000 }, async (context) => {
      const { enode } = await tool!.startNode(context, tool!.importChain(context))
      const output = await tool!.run(enode, await answerEngine(context), [name])
      assert.ok(output.includes(printed), output)
    })
  }
}
