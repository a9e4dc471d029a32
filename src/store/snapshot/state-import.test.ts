import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { createMemoryKv, type MemoryKv } from '#store/kv/memory-kv.fixture.ts'
import {
  blockOf,
  hashOf,
  type ModelState,
  modelRoot,
  openTestStore,
  RandomBlocks,
  silentLog,
  testOptions,
  transactionHashesOf,
} from '#store/ledger.fixture.ts'
import type { StorageFormat } from '#store/store.ts'
import { Fault } from '#types/fault.ts'
import { keccak256 } from '#types/keccak.ts'
import { openStateExportOn } from './state-export.ts'
import { openStateImportOn, type StateImport } from './state-import.ts'

const seed = Number(process.env.CAIRN_SEED ?? 1)
const HEAD = 40
const exportOptions = { historyBlocks: 300, log: silentLog }

interface Source {
  readonly kv: MemoryKv
  readonly model: ModelState
  readonly random: RandomBlocks
}

async function sourceOf(format: StorageFormat): Promise<Source> {
  const kv = createMemoryKv()
  const store = await openTestStore(kv, { format })
  const random = new RandomBlocks(createSeededRandom(seed))
  const model: ModelState = new Map()
  for (let number = 0; number <= HEAD; number++)
    await store.commitBlocks([blockOf(store, number, random.next(model))])
  // As after a crash: the tries are behind the head.
  return { kv: kv.crash(), model, random }
}

const importOptions = (format: StorageFormat) => ({
  ...testOptions,
  format,
  number: HEAD,
  blockHash: hashOf(`block ${HEAD}`),
})

type Step = (target: StateImport) => void

/** The content of a file, one step after another. */
async function stepsFrom(kv: MemoryKv): Promise<Step[]> {
  const source = await openStateExportOn(kv, exportOptions)
  const steps: Step[] = []
  for (const account of source.accounts()) {
    const { codeHash } = account
    const code = codeHash && source.code(codeHash)
    steps.push((target) => {
      if (code !== undefined) target.addCode(keccak256(code), code)
      assert.ok(target.addAccount(account))
    })
    for (const { slot, value } of account.slots())
      steps.push((target) => assert.ok(target.addSlot(slot, value)))
  }
  return steps
}

for (const format of ['BONSAI', 'FOREST'] as const) {
  test(`a state is exported and imported with repeated kills, and blocks follow it in ${format} (seed ${seed})`, async () => {
    const { kv, model, random } = await sourceOf(format)
    const steps = await stepsFrom(kv)
    const chance = createSeededRandom(seed + 1)
    let target = createMemoryKv()
    let root: Uint8Array | undefined
    for (let kills = 0; root === undefined; kills++) {
      const begun = await openStateImportOn(target, importOptions(format))
      let at = begun.resumed?.offset ?? 0
      for (const step of steps.slice(at)) {
        step(begun)
        at++
        if (chance.randomBelow(5) === 0) await begun.save({ offset: at, check: 7 })
        if (kills < 10 && chance.randomBelow(20) === 0) break
      }
      if (at < steps.length || kills < 10) {
        target = target.crash(chance.randomBelow(target.unsyncedBatches + 1))
        continue
      }
      root = await begun.finishState()
      assert.deepEqual(root, modelRoot(model))
      assert.equal(
        begun.state().account(random.addresses[0]!)?.nonce,
        model.get(hex(random.addresses[0]!))?.nonce,
      )
      begun.addBlock({
        ...blockOf(await openTestStore(kv, { format }), HEAD + 1, new Uint8Array(0)),
        number: HEAD,
        hash: hashOf(`block ${HEAD}`),
      })
      await begun.complete(root, HEAD * 10)
    }
    const store = await openTestStore(target, { format })
    assert.deepEqual([store.head()?.number, store.lowestState(), store.firstBlock()], [HEAD, HEAD, HEAD])
    for (let number = HEAD + 1; number < HEAD + 20; number++) {
      await store.commitBlocks([blockOf(store, number, random.next(model))])
      assert.deepEqual(store.headState().root, modelRoot(model))
      const [address] = random.addresses
      assert.ok(store.proofAt(number, address!, random.slots).nodes.length > 0)
    }
    assert.throws(() => store.stateAt(HEAD - 1), /not kept|not known/)
    await store.unwind(HEAD, transactionHashesOf)
    assert.deepEqual(store.headState().root, root)
    const again = await openTestStore(target.crash(), { format })
    assert.deepEqual(again.headState().root, root)
  })
}

test('an unfinished import keeps others from opening the database', async () => {
  const { kv } = await sourceOf('BONSAI')
  const [first, second] = await stepsFrom(kv)
  const target = createMemoryKv()
  const begun = await openStateImportOn(target, importOptions('BONSAI'))
  first!(begun)
  second!(begun)
  await begun.save({ offset: 2, check: 1 })
  await assert.rejects(openTestStore(target), hasKind('STORE_UNFINISHED'))
  await assert.rejects(openStateExportOn(target, exportOptions), hasKind('STORE_UNFINISHED'))
  const other = { ...importOptions('BONSAI'), blockHash: hashOf('another block') }
  await assert.rejects(openStateImportOn(target, other), hasKind('STORE_UNFINISHED'))
  const there = await openStateImportOn(target, importOptions('BONSAI'))
  assert.deepEqual(there.resumed, { offset: 2, check: 1 })
})

test('a state is refused by a database with a chain or of another network', async () => {
  const { kv } = await sourceOf('BONSAI')
  await assert.rejects(openStateImportOn(kv, importOptions('BONSAI')), hasKind('STORE_NOT_EMPTY'))
  const other = { ...importOptions('BONSAI'), genesisHash: hashOf('other') }
  await assert.rejects(openStateImportOn(kv, other), hasKind('STORE_OTHER_GENESIS'))
})

test('accounts and slots out of order are refused', async () => {
  const target = await openStateImportOn(createMemoryKv(), importOptions('BONSAI'))
  const account = { nonce: new Uint8Array(0), balance: new Uint8Array(0), codeHash: undefined }
  const [low, high] = [new Uint8Array(20), new Uint8Array(20).fill(1)].sort((a, b) =>
    Buffer.compare(keccak256(a), keccak256(b)),
  )
  assert.equal(target.addSlot(hashOf('slot'), Uint8Array.of(1)), false)
  assert.ok(target.addAccount({ ...account, address: high! }))
  assert.equal(target.addAccount({ ...account, address: low! }), false)
  assert.equal(target.addAccount({ ...account, address: high! }), false)
})

function hasKind(kind: string): (error: unknown) => boolean {
  return (error) => error instanceof Fault && error.kind === kind
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
