import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { encodedBlocks } from '#types/block/block.fixture.ts'
import { decodeBlock, encodeBlock } from '#types/block/block.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { validateGenesis } from '#types/genesis/genesis-validate.ts'
import { formatJson } from '#types/json/json-format.ts'
import { parseJson } from '#types/json/json-parse.ts'
import { encodeRlp } from '#types/rlp.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { convertGoQuorumGenesis } from './goquorum-genesis.ts'
import { convertNodeList } from './goquorum-nodes.ts'
import { refusePrivateTransactions } from './private-transactions.ts'

const pack = process.env.CAIRN_CONFORMANCE ?? join(import.meta.dirname, '../../../../shared/conformance')
const skip = existsSync(pack) ? false : 'there is no conformance pack'
const EXTRA = `0xf87aa0${'00'.repeat(32)}f854${['11', '22', '33', '44'].map((byte) => `94${byte.repeat(20)}`).join('')}c080c0`

function convert(config: Record<string, unknown>) {
  const top = { difficulty: '0x1', gasLimit: '0x29b92700', extraData: EXTRA, alloc: {} }
  const file = JSON.stringify({ config: { chainId: 1337, homesteadBlock: 0, ...config }, ...top })
  const { genesis, notes } = convertGoQuorumGenesis(parseJson(file))
  return { config: JSON.parse(formatJson(genesis)).config, text: formatJson(genesis), notes }
}

function protocolOf(text: string): string {
  const verdict = parseGenesis(text)
  assert(verdict.ok)
  return verdict.genesis.config.consensus.protocol
}

test("qbft stays with Besu's words, and GoQuorum's own keys are reported", () => {
  const { config, notes, text } = convert({
    constantinopleBlock: 0,
    londonBlock: 0,
    isQuorum: true,
    txnSizeLimit: 64,
    maxCodeSize: 0,
    maxCodeSizeConfig: [{ block: 0, size: 64 }],
    isMPS: false,
    qbft: {
      ...{ epochLength: 30000, blockperiodseconds: 2, emptyblockperiodseconds: 60, policy: 0 },
      ...{ ceil2Nby3Block: 0, validatorcontractaddress: `0x${'00'.repeat(20)}` },
    },
  })
  assert.deepEqual(config, {
    chainId: 1337,
    homesteadBlock: 0,
    constantinopleBlock: 0,
    petersburgBlock: 0,
    contractSizeLimit: 65536,
    qbft: { epochlength: 30000, blockperiodseconds: 2, xemptyblockperiodseconds: 60 },
  })
  const fates = new Map(notes.map(([key, fate]) => [key, fate]))
  assert.equal(fates.get('isQuorum'), 'ignored')
  assert.equal(fates.get('londonBlock'), 'ignored')
  assert.equal(fates.get('maxCodeSizeConfig'), 'renamed')
  assert.equal(protocolOf(text), 'qbft')
})

test('IBFT changes to QBFT at the block of a transition or testQBFTBlock', () => {
  const section = { epochlength: 1000, blockperiodseconds: 5 }
  const byTransition = convert({
    ibft: section,
    transitions: [
      { epochlength: 2000, block: 101, algorithm: 'qbft', blockperiodseconds: 1 },
      { block: 200, blockperiodseconds: 3 },
    ],
  })
  assert.deepEqual(byTransition.config.ibft, section)
  assert.deepEqual(byTransition.config.qbft, { epochlength: 2000, blockperiodseconds: 1, startblock: 101 })
  assert.deepEqual(byTransition.config.transitions, { qbft: [{ block: 200, blockperiodseconds: 3 }] })
  const older = convert({ istanbul: { epoch: 1000, policy: 0, ceil2Nby3Block: 0, testQBFTBlock: 101 } })
  assert.deepEqual(older.config.ibft, { epochlength: 1000 })
  assert.deepEqual(older.config.qbft, { epochlength: 1000, startblock: 101 })
  const always = convert({ istanbul: { epoch: 1000, testQBFTBlock: 0 } })
  assert.deepEqual([always.config.ibft, always.config.qbft], [undefined, { epochlength: 1000 }])
})

test('a transition at block 0 sets a validator contract from the start', () => {
  const contract = '0x0000000000000000000000000000000000007777'
  const { config } = convert({
    qbft: { epochlength: 30000 },
    transitions: [{ block: 0, validatorselectionmode: 'contract', validatorcontractaddress: contract }],
  })
  assert.deepEqual(config.qbft, { epochlength: 30000, validatorcontractaddress: contract })
  assert.equal(config.transitions, undefined)
})

test('private transactions, unsupported rules and unsupported protocols are refused with a sentence', () => {
  const qbft = { epochlength: 30000 }
  for (const [config, sentence] of [
    [{ qbft, privacyEnhancementsBlock: 0 }, /privacyEnhancementsBlock: Cairn has no private transactions/],
    [{ qbft, isMPS: true }, /isMPS: Cairn has no private transactions/],
    [{ qbft, privacyPrecompileBlock: 5 }, /private transactions/],
    [{ qbft, transitions: [{ block: 5, privacyEnhancementsEnabled: true }] }, /private transactions/],
    [
      {
        qbft,
        maxCodeSizeConfig: [
          { block: 0, size: 32 },
          { block: 9, size: 64 },
        ],
      },
      /changes at a block/,
    ],
    [{ qbft, transitions: [{ block: 5, contractsizelimit: 64 }] }, /changes at a block/],
    [{ qbft: { ...qbft, blockReward: '5' } }, /rewards/],
    [{ qbft: { ...qbft, unheardOf: 1 } }, /qbft.unheardOf is not known/],
    [{ qbft, transitions: [{ algorithm: 'qbft' }] }, /says no block/],
    [{ qbft, transitions: [{ block: 5, epochlength: 7 }] }, /one for the whole chain/],
    [{ qbft, transitions: [{ block: -5 }] }, /whole number/],
    [{ qbft, transitions: { qbft: [] } }, /is a list/],
    [{ qbft: 7 }, /not a section/],
    [{ ibft: qbft }, /makes none; let the network go to QBFT/],
    [{ clique: { period: 5 } }, /Clique/],
    [{}, /Raft/],
  ] as const) {
    assert.throws(
      () => convert(config),
      { kind: 'MIGRATION_REFUSED', message: sentence },
      JSON.stringify(config),
    )
  }
  for (const file of ['[]', '{}', '{"config":[]}', '7']) {
    assert.throws(() => convertGoQuorumGenesis(parseJson(file)), { kind: 'MIGRATION_REFUSED' })
  }
})

test('recorded GoQuorum networks can be followed', { skip }, () => {
  for (const folder of ['recorded/goquorum-wire/chain', 'recorded/goquorum-wire/restarted-order/chain']) {
    const text = readFileSync(join(pack, folder, 'genesis.json'), 'utf8')
    const converted = formatJson(convertGoQuorumGenesis(parseJson(text)).genesis)
    assert.deepEqual(
      validateGenesis(converted).filter(({ severity }) => severity === 'error'),
      [],
    )
    assert.equal(protocolOf(converted), 'qbft')
  }
})

test('a block with a private transaction is named', { skip }, () => {
  const file = readFileSync(join(pack, 'recorded/goquorum-wire/chain/blocks.bin'))
  const blocks = [...encodedBlocks(file)]
  const { count, last } = refusePrivateTransactions(blocks, () => {})
  assert.deepEqual([count, last?.number], [blocks.length, BigInt(blocks.length)])
  const at = blocks.findIndex((each) => decodeBlock(each).transactions.length > 0)
  const block = decodeBlock(blocks[at]!)
  const one = Uint8Array.of(1)
  const fields = [one, one, one, new Uint8Array(20), one, one, Uint8Array.of(38), one, one]
  const transactions = [...block.transactions, decodeTransaction(encodeRlp(fields))]
  const withPrivate = blocks.with(at, encodeBlock({ ...block, transactions }))
  assert.throws(() => refusePrivateTransactions(withPrivate, () => {}), {
    kind: 'MIGRATION_REFUSED',
    message: new RegExp(`^Block ${block.header.number} holds a private transaction`),
  })
})

test('node lists lose their Raft ports, and entries that are not nodes are refused', () => {
  const id = 'ab'.repeat(64)
  assert.deepEqual(
    convertNodeList(
      'static-nodes.json',
      JSON.stringify([
        `enode://${id}@10.0.0.1:21000?discport=0&raftport=50401`,
        `enode://${id}@10.0.0.2:21000?raftport=1`,
      ]),
    ),
    [`enode://${id}@10.0.0.1:21000?discport=0`, `enode://${id}@10.0.0.2:21000`],
  )
  for (const wrong of ['{}', '[7]', '["enode://12@10.0.0.1:1"]', '["http://x"]']) {
    assert.throws(() => convertNodeList('static-nodes.json', wrong), { kind: 'MIGRATION_REFUSED' }, wrong)
  }
})
