/**
 * Four validators and a node that follows them, each in its own process, linked in a line, so nodes must relay
 * messages. Then some validators return from a backup that is older than their last signatures.
 */
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sealersOf } from '#fleet/await-node.ts'
import { type Address, parseAddress } from '#types/address.ts'
import { decodeHeader } from '#types/block/block-header.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData, parseData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { type RunningNode, startNode } from '../../support/running-node.ts'
import { makeValidators, start, type ValidatorNetwork } from '../../support/validator-network.ts'

/** Five programs start at the same time, and the machine may be busy. */
const TIMEOUT = { timeout: 600_000 }
const KEY = new Uint8Array(32).fill(9)
const SENDER = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))
const PERIOD_MS = 500
const RESTORED_MARK = 'CAIRNRST'
const WAITS_AS_RESTORED =
  /was restored from a backup.* signs nothing until the other validators have produced a block/
/**
 * Clocks of nodes may differ by this much: a block with a later timestamp was certainly produced after a node's
 * start.
 */
const CLOCKS_DIFFER_MS = 2_000

/** A node on a busy machine may report a timeout; the request is repeated. */
async function ask(node: RunningNode, method: string, ...params: unknown[]): Promise<unknown> {
  for (;;) {
    const client = openRpcClient(node.http)
    try {
      const { result, error } = await client.call(method, ...params)
      if (error === undefined) return result
      assert.match(error.message, /timeout|busy/i, method)
    } finally {
      client.close()
    }
  }
}

/** Waits for the wanted answer. */
async function untilAnswers(node: RunningNode, method: string, wanted: unknown): Promise<void> {
  while ((await ask(node, method)) !== wanted) await pause()
}

const pause = () => new Promise<void>((resolve) => void setTimeout(resolve, 100))

const headOf = async (node: RunningNode): Promise<number> => Number(await ask(node, 'eth_blockNumber'))

async function untilAt(node: RunningNode, height: number): Promise<void> {
  while ((await headOf(node)) < height) await pause()
}

function enodeOf(node: RunningNode): string {
  const url = /Enode URL (enode:\/\/[^\s"]+)/.exec(node.output())?.[1]
  assert.ok(url, node.output())
  return url
}

async function link(one: RunningNode, other: RunningNode): Promise<void> {
  assert.equal(await ask(one, 'admin_addPeer', enodeOf(other)), true)
}

function command(...args: string[]): void {
  const { code, stderr } = cairn(['--logging=ERROR', ...args])
  assert.equal(code, 0, stderr)
}

/**
 * Replaces a stopped validator by its directory from a backup. The node starts without peers, and the test requires
 * that it waits and signs nothing. `beganMs` is a time before its start.
 */
async function startRestored(
  context: TestContext,
  network: ValidatorNetwork,
  backup: string,
  peer: RunningNode,
): Promise<{ readonly node: RunningNode; readonly beganMs: number }> {
  rmSync(network.data, { recursive: true })
  const genesis = network.args.find((arg) => arg.startsWith('--genesis-file='))!
  command(`--data-path=${network.data}`, genesis, 'backup', 'restore', `--from=${backup}`)
  const beganMs = Date.now()
  const node = await start(context, network)
  assert.match(await causeOf(node), WAITS_AS_RESTORED)
  assert.ok(!hasSigned(network))
  await link(node, peer)
  return { node, beganMs }
}

/** A validator writes this file before it signs. The file replaces the state that a restore leaves. */
function hasSigned({ data }: ValidatorNetwork): boolean {
  return readFileSync(join(data, 'votes')).toString('latin1', 0, RESTORED_MARK.length) !== RESTORED_MARK
}

/** A node answers requests shortly before it takes part in consensus. */
async function causeOf(node: RunningNode): Promise<string> {
  for (;;) {
    const status = (await ask(node, 'bft_status')) as { cause: string } | null
    if (status !== null) return status.cause
    await pause()
  }
}

async function rawHeader(node: RunningNode, number: number): Promise<Uint8Array> {
  return parseData(String(await ask(node, 'debug_getRawHeader', `0x${number.toString(16)}`)))
}

/** The first block from `number` on that this validator sealed. */
async function untilSealedBy(node: RunningNode, validator: Address, number: number): Promise<number> {
  await untilAt(node, number)
  return sealersOf('qbft', await rawHeader(node, number)).includes(validator)
    ? number
    : untilSealedBy(node, validator, number + 1)
}

/** Leaves out the validator's key: the follower creates its own. */
async function startFollower(context: TestContext, { args }: ValidatorNetwork): Promise<RunningNode> {
  const node = await startNode(args.filter((arg) => !arg.startsWith('--node-private-key-file')))
  context.after(() => node.kill())
  return node
}

test(
  'four validators in a line produce blocks, one may die and return, also from a backup, and a new node syncs',
  TIMEOUT,
  async (context) => {
    const alloc = { [SENDER]: { balance: '0xffffffffffffffffffff' } }
    const networks = makeValidators(context, 'qbft', 4, alloc, PERIOD_MS)
    const nodes = await Promise.all(networks.map((network) => start(context, network)))
    const [one, two, three, four] = nodes as [RunningNode, RunningNode, RunningNode, RunningNode]
    await link(one, two)
    await link(two, three)
    await link(three, four)
    await Promise.all(nodes.map((node) => untilAt(node, 3)))
    await untilAnswers(two, 'net_peerCount', '0x2')

    // A transaction enters at one end of the line and is read at the other.
    const unsigned = {
      type: 2,
      chainId: 1337n,
      nonce: 0n,
      gasLimit: 21_000n,
      to: parseAddress('77'.repeat(20)),
      value: 5n,
      data: new Uint8Array(0),
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      accessList: [],
    } as const
    const sent = signTransaction(unsigned, KEY)
    assert.equal(await ask(one, 'eth_sendRawTransaction', formatData(sent.encoded)), sent.hash)
    let receipt: unknown = null
    while (receipt === null) {
      await pause()
      receipt = await ask(four, 'eth_getTransactionReceipt', sent.hash)
    }

    await four.kill()
    const height = await headOf(one)
    await untilAt(one, height + 3)
    const again = await start(context, networks[3]!)
    await link(again, three)
    const follower = await startFollower(context, networks[0]!)
    await link(follower, two)
    await untilAt(again, (await headOf(one)) + 1)
    await untilAt(follower, await headOf(one))
    const common = await headOf(follower)
    const hashes = await Promise.all(
      [one, two, three, again, follower].map(async (node) => {
        await untilAt(node, common)
        const block = (await ask(node, 'eth_getBlockByNumber', `0x${common.toString(16)}`, false)) as {
          hash: string
        }
        return block.hash
      }),
    )
    assert.equal(new Set(hashes).size, 1)
    await untilAnswers(follower, 'eth_syncing', false)

    const backup = join(temporaryDirectory(context), 'backup')
    command(`--data-path=${networks[3]!.data}`, 'backup', 'create', `--to=${backup}`)
    await untilAt(one, (await headOf(one)) + 3)
    await again.stop()
    const stoppedAt = await headOf(one)
    const restored = await startRestored(context, networks[3]!, backup, two)
    // Signatures from before its stop may be in the next block.
    const first = await untilSealedBy(one, networks[3]!.validator, stoppedAt + 2)
    const { timestamp } = decodeHeader(await rawHeader(one, first - 1))
    assert.ok(
      Number(timestamp) * 1_000 >= restored.beganMs + CLOCKS_DIFFER_MS,
      `its seal is in block ${first}, and block ${first - 1} was produced at ${timestamp}, before ${restored.beganMs} ms`,
    )

    // Two of four validators are not a quorum.
    await Promise.all([three.kill(), restored.node.kill()])
    const stoodAt = await headOf(one)
    const [silent, told] = await Promise.all([
      startRestored(context, networks[2]!, backup, two),
      startRestored(context, networks[3]!, backup, two),
    ])
    await Promise.all([silent, told].map(({ node }) => untilAt(node, stoodAt)))
    while (!/3 of 4 validators are needed/.test(await causeOf(one))) await pause()
    for (const { node } of [silent, told]) assert.match(await causeOf(node), WAITS_AS_RESTORED)
    assert.equal(await headOf(one), stoodAt)
    assert.deepEqual([networks[2]!, networks[3]!].map(hasSigned), [false, false])
    await told.node.stop()
    const { args, data, ...network } = networks[3]!
    const signing = await start(context, { ...network, data, args: [...args, '--bft-sign-without-votes'] })
    await link(signing, two)
    await untilSealedBy(one, networks[3]!.validator, stoodAt + 1)
    await untilSealedBy(one, networks[2]!.validator, stoodAt + 1)
    for (const node of [one, two, follower, again, restored.node, silent.node, signing])
      assert.doesNotMatch(node.output(), /equivocated/)
  },
)
