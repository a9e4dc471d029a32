/**
 * Genesis files. The files listed in expected.json, all over the pack, must parse with the listed number of accounts and
 * header fields. The files of config-options/ and geth-format/ must agree with FACTS.
 *
 * Two kinds of file are not complete genesis files, and each is completed in one stated way:
 * - config-options/ contains `config` sections, bare or as the only key: the two required header fields are added.
 * - bft/genesis/ contains templates with `%extraData%`: unchanged they must be refused for exactly that value, and with
 *   extra data for two validators they must parse and validate.
 * Files without `config` parse; the node refuses them later, because they name no protocol.
 * Block 0 of each (`#block`) is committed to a store in memory: its state root is the store's, its hash the chain's.
 */
import assert from 'node:assert/strict'
import { parseAddress } from '#types/address.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { MIN_HEADER_FIELDS } from '#types/block/block-header.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { optionalHeaderFields } from '#types/genesis/genesis-header.ts'
import { validateGenesis } from '#types/genesis/genesis-validate.ts'
import { hashFromBytes } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'
import { formatJson } from '#types/json/json-format.ts'
import { parseJson } from '#types/json/json-parse.ts'
import { JsonObject } from '#types/json/json-value.ts'
import { openMemoryChain, parseGenesisText } from '../chains/memory-chain.ts'
import { type Outcome, outcomeOfPlay, type Pack, type Suite } from '../suite.ts'
import { GENESIS_FACTS } from './genesis-facts.ts'

interface ExpectedBlock {
  readonly hash?: string
  readonly stateRoot: string
  readonly headerFields?: number
  readonly accounts: number
}

const EXPECTED = 'genesis/expected.json'

/**
 * expected.json describes an older file with 7 accounts. The file in the pack has 9, and its block 0 then has
 * hash 0x097519c9962233872c2c8990334e787f3954cc13e325eeedc2dfd0d527e3435d, which is the parent that block 1 in
 * blocks.bin of the same folder names.
 */
const STALE = {
  file: 'chains/testing-build-block/genesis.json',
  accounts: 9,
  hash: '0x097519c9962233872c2c8990334e787f3954cc13e325eeedc2dfd0d527e3435d',
  decision: 'genesis-vector-testing-build-block',
}

const suite: Suite = {
  name: 'genesis',
  async *run(pack) {
    const expected = pack.json(EXPECTED) as Record<string, ExpectedBlock>
    for (const [file, block] of Object.entries(expected)) {
      yield parsingOutcome(file, () => checkBlock(file, pack.text(file), block))
      yield blockOutcome(file, pack.text(file), block)
    }
    for (const file of [...pack.files('genesis'), ...pack.files('bft/genesis')]) {
      if (file === EXPECTED || file in expected) continue
      yield parsingOutcome(file, () => checkOther(file, pack))
    }
  },
}

export default suite

function parsingOutcome(file: string, check: () => void): Promise<Outcome> {
  const unit = `${file}#parsing`
  return outcomeOfPlay(unit, async () => {
    check()
    return file === STALE.file
      ? { unit, status: 'deviates', decision: STALE.decision }
      : { unit, status: 'met' }
  })
}

function blockOutcome(file: string, text: string, expected: ExpectedBlock): Promise<Outcome> {
  const unit = `${file}#block`
  return outcomeOfPlay(unit, async () => {
    const { head, store } = (await openMemoryChain(parseGenesisText(text))).chain
    if (file === STALE.file) {
      assert.equal(head.hash, STALE.hash, 'hash')
      return { unit, status: 'deviates', decision: STALE.decision }
    }
    assert.equal(head.header.stateRoot, expected.stateRoot, 'state root')
    assert.equal(hashFromBytes(store.headState().root), expected.stateRoot, 'state root of the store')
    if (expected.hash !== undefined) assert.equal(head.hash, expected.hash, 'hash')
    return { unit, status: 'met' }
  })
}

function checkBlock(file: string, text: string, expected: ExpectedBlock): void {
  const genesis = parseGenesisText(text)
  assert.equal(genesis.alloc.size, file === STALE.file ? STALE.accounts : expected.accounts, 'accounts')
  if (expected.headerFields !== undefined) {
    const optional = optionalHeaderFields(genesis.header, genesis.config.forks)
    assert.equal(MIN_HEADER_FIELDS + optional.length, expected.headerFields, 'header fields')
  }
  GENESIS_FACTS[file]?.(genesis)
}

function checkOther(file: string, pack: Pack): void {
  const text = pack.text(file)
  if (file.startsWith('genesis/config-options/')) {
    const checkFacts = GENESIS_FACTS[file]
    assert.ok(checkFacts, 'the suite knows no facts about this file')
    checkFacts(parseGenesisText(completeConfig(text)))
  } else checkTemplate(text)
}

function completeConfig(text: string): string {
  const document = parseJson(text)
  assert.ok(document instanceof JsonObject)
  const completed = document.has('config') ? document : new JsonObject([['config', document]])
  completed.set('difficulty', '0x1').set('gasLimit', '0x1c9c380')
  return formatJson(completed)
}

function checkTemplate(text: string): void {
  assert.ok(
    text.includes('%extraData%'),
    'the suite knows this file neither from expected.json nor as a template',
  )
  const refused = parseGenesis(text)
  assert.deepEqual(refused.ok ? [] : refused.problems.map(({ path }) => path), ['$.extraData'])
  const protocol = text.includes('"ibft2"') ? 'ibft2' : 'qbft'
  const validators = ['11', '22'].map((byte) => parseAddress(byte.repeat(20)))
  const completed = text.replace('%extraData%', formatData(encodeGenesisExtraData(protocol, validators)))
  assert.equal(parseGenesisText(completed).config.consensus.protocol, protocol)
  assert.deepEqual(validateGenesis(completed), [])
}
