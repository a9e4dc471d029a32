/* Four validators and a node that follows them, each a process of its own: linked in a line, so that messages have to be passed on. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/transaction-encode.ts'
import { openRpcClient } from './rpc-client.ts'
import { type RunningNode, startNode } from './running-node.ts'
import { makeValidators, start, type ValidatorNetwork } from './validator-network.ts'

/** Five programs start beside each other, on a machine that may be busy. */
const TIMEOUT = { timeout: 600_000 }
const KEY = new Uint8Array(32).fill(9)
const SENDER = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))
const PERIOD_MS = 500

/** A node on a busy machine may answer that it had no time. */
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

/** Until the answer is the one. */
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

/** The key of the network is left out: this one makes its own. */
async function startFollower(context: TestContext, { args }: ValidatorNetwork): Promise<RunningNode> {
  const node = await startNode(args.filter((arg) => !arg.startsWith('--node-private-key-file')))
  context.after(() => node.kill())
  return node
}

test(
  'four validators in a line make blocks, one may die and come back, and a node that joins follows',
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

    // Sent to one end of the line, mined, and read at the other.
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
  },
)
