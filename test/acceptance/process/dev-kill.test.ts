/*
 * A development chain is killed between edits, snapshots, reverts and blocks, and continues with the last acknowledged state.
 *
 *   CAIRN_KILLS=50 node --test test/acceptance/process/dev-kill.test.ts
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { temporaryDirectory } from '../../support/program.ts'
import { openRpcClient, type RpcClient } from '../../support/rpc-client.ts'
import { startNode } from '../../support/running-node.ts'

const KILLS = Number(process.env.CAIRN_KILLS ?? 3)
const SEED = Number(process.env.CAIRN_SEED ?? Date.now() % 2 ** 31)
const MAX_OPERATIONS = 20
const [from, to] = DEV_ACCOUNTS.map(({ address }) => address)
const EDITED = `0x${'77'.repeat(20)}`

interface State {
  readonly blocks: number
  readonly sent: number
  readonly balance: number
  readonly slot: number
}

interface Model extends State {
  /** States by the id of their snapshot. */
  readonly snapshots: ReadonlyMap<string, State>
}

type Operation = (client: RpcClient, model: Model, value: number) => Promise<Model>

async function ask(client: RpcClient, method: string, ...params: unknown[]): Promise<unknown> {
  const { result, error } = await client.call(method, ...params)
  assert.equal(error, undefined, JSON.stringify(error))
  return result
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  setBalance: async (client, model, value) => {
    await ask(client, 'anvil_setBalance', EDITED, `0x${value.toString(16)}`)
    return { ...model, balance: value }
  },
  setStorageAt: async (client, model, value) => {
    await ask(client, 'anvil_setStorageAt', EDITED, '0x0', `0x${value.toString(16)}`)
    return { ...model, slot: value }
  },
  send: async (client, model) => {
    await ask(client, 'eth_sendTransaction', { from, to, value: '0x1' })
    return { ...model, blocks: model.blocks + 1, sent: model.sent + 1 }
  },
  mine: async (client, model) => {
    await ask(client, 'evm_mine')
    return { ...model, blocks: model.blocks + 1 }
  },
  snapshot: async (client, model) => {
    const id = (await ask(client, 'evm_snapshot')) as string
    const { snapshots, ...state } = model
    return { ...model, snapshots: new Map([...snapshots, [id, state]]) }
  },
  revert: async (client, model, value) => {
    const known = [...model.snapshots]
    const [id, state] = known[value % known.length] ?? ['0xffff', undefined]
    assert.equal(await ask(client, 'evm_revert', id), state !== undefined)
    if (state === undefined) return model
    return { ...state, snapshots: new Map(known.filter(([other]) => Number(other) < Number(id))) }
  },
}

async function read(client: RpcClient): Promise<State> {
  const [blocks, sent, balance, slot] = await Promise.all([
    ask(client, 'eth_blockNumber'),
    ask(client, 'eth_getTransactionCount', from, 'latest'),
    ask(client, 'eth_getBalance', EDITED, 'latest'),
    ask(client, 'eth_getStorageAt', EDITED, '0x0', 'latest'),
  ])
  return { blocks: Number(blocks), sent: Number(sent), balance: Number(balance), slot: Number(slot) }
}

test(`a chain killed ${KILLS} times has its last acknowledged state (CAIRN_SEED=${SEED})`, async (context) => {
  const random = createSeededRandom(SEED)
  const data = temporaryDirectory(context)
  let model: Model = { blocks: 0, sent: 0, balance: 0, slot: 0, snapshots: new Map() }
  let node = await startNode(['--network=dev'], data)
  context.after(() => node.kill())
  for (let killed = 0; killed < KILLS; killed++) {
    const client = openRpcClient(node.http)
    const names = Object.keys(OPERATIONS)
    for (let count = random.randomBelow(MAX_OPERATIONS); count > 0; count--) {
      const name = names[random.randomBelow(names.length)]!
      model = await OPERATIONS[name]!(client, model, 1 + random.randomBelow(1_000))
    }
    // The last edit is under way when the program ends, so it may be lost, but no earlier one.
    const last = 2_000 + killed
    const underWay = client.call('anvil_setBalance', EDITED, `0x${last.toString(16)}`).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, random.randomBelow(4)))
    await node.kill()
    await underWay
    client.close()
    node = await startNode(['--network=dev'], data)
    const again = openRpcClient(node.http)
    const found = await read(again)
    again.close()
    if (found.balance === last) model = { ...model, balance: last }
    const { snapshots: _, ...expected } = model
    assert.deepEqual(found, expected, `after kill ${killed + 1}`)
  }
})
