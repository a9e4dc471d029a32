/**
 * BFT extra data, header hashes, keys, messages and validator contracts, and the seals of legacy IBFT and clique; the
 * suite `chains` executes their blocks. The genesis files of the folder are units of the genesis suite.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { cliqueSigner } from '#chain/rules/clique-signer.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { proposerOf } from '#consensus/bft/proposer.ts'
import { extend } from '#consensus/network.fixture.ts'
import { createQbftCodec, QBFT_CODES } from '#consensus/qbft/wire/qbft-codec.ts'
import { type Address, addressFromBytes, parseAddress } from '#types/address.ts'
import {
  type BftExtraData,
  type BftProtocol,
  decodeBftExtraData,
  encodeBftExtraData,
} from '#types/block/bft-extra-data.ts'
import { bftBlockHash, bftCommittedSealHash } from '#types/block/bft-header-hash.ts'
import { encodedBlocks } from '#types/block/block.fixture.ts'
import { decodeBlock, encodeBlock } from '#types/block/block.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { type BlockHeader, decodeHeader, encodeHeader, hashHeader } from '#types/block/block-header.ts'
import { decodeLegacyIbftExtraData, encodeLegacyIbftExtraData } from '#types/block/legacy-ibft-extra-data.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import {
  addressFromPublicKey,
  DEFAULT_CURVE,
  publicKeyFromPrivate,
  recoverPublicKey,
  sign,
} from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { type Genesis, parseGenesis } from '#types/genesis/genesis.ts'
import { hashToBytes } from '#types/hash.ts'
import { formatData, formatDigits, parseData, parseDataLenient } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { openMemoryChain, parseGenesisText } from '../chains/memory-chain.ts'
import { type Outcome, outcomeOf, type Pack, type Suite } from '../suite.ts'
import { validatorContracts } from './bft-contracts.ts'
import { describeMessage, type MessageVector } from './bft-messages.ts'

interface ValidVector {
  readonly name: string
  readonly protocol: 'IBFT2' | 'QBFT'
  readonly fields: {
    readonly vanity: string
    readonly validators: readonly string[]
    readonly vote: { readonly recipient: string; readonly type: 'add' | 'drop' } | null
    readonly round: number
    readonly seals: readonly string[]
  }
  readonly encoded: string
  readonly encodedWithoutSeals: string
  readonly encodedWithoutSealsAndRound: string
}

interface VectorFile {
  readonly valid: readonly ValidVector[]
  readonly invalid: readonly Pick<ValidVector, 'name' | 'protocol' | 'encoded'>[]
}

/** The vectors of 2021 are labelled QBFT, but have today's IBFT 2.0 encoding. */
interface Vector2021 {
  readonly qbft_extra_data: {
    readonly vanityData: string
    readonly validators: readonly string[]
    readonly vote: { readonly recipient: string; readonly voteType: string } | null
    readonly round: number
    readonly seals: readonly string[]
  }
  readonly rlp: string
}

interface HeaderVector extends Pick<ValidVector['fields'], 'vanity' | 'validators' | 'vote' | 'round'> {
  readonly name: string
  readonly protocol: 'IBFT2' | 'QBFT'
  readonly headerRlp: string
  readonly number: number
  readonly timestamp: number
  readonly coinbase: string
  readonly extraData: string
  readonly committedSeals: readonly string[]
  readonly extraDataForSeal: string
  readonly committedSealHash: string
  readonly extraDataForHash: string
  readonly blockHash: string
  readonly committers: readonly string[]
}

/** The value in the pack's README. */
const LEGACY_HEAD = '0x66c50338a9ec939a3219a80b3b5e7d51c154507d5748f08dbda9422520bb3251'
const CLIQUE_HEAD = '0xae48cf1ec1ba9ca96eb32fdac8b00ee22880e508fdb2aac93774b43a701aec1c'
const CRYPTO = { keccak: keccak256, recover: recoverPublicKey, sign, isNative: false }

const suite: Suite = {
  name: 'bft',
  async *run(pack: Pack) {
    yield* extraData(pack, 'extra-data-vectors.json')
    yield* extraData2021(pack, 'qbft-messages/bft_extra_data_2021.json')
    yield* keyPairs(pack, 'ibft1-chain/keys')
    yield* headers(pack, 'header-vectors.json')
    yield outcomeOf('ibft1-chain/blocks.bin', () => verifyLegacyChain(pack))
    yield outcomeOf('ibft1-chain/genesis-migration.json#continues', () => continueLegacyChain(pack))
    yield* messages(pack, 'qbft-messages/messages.json')
    yield* validatorContracts(pack)
    yield outcomeOf('clique/clique_to_pos.json', () => verifyCliqueGenesis(pack))
    yield outcomeOf('clique/blocks.bin', () => verifyCliqueSeals(pack))
  },
}

export default suite

async function* extraData(pack: Pack, file: string): AsyncIterable<Outcome> {
  const vectors = pack.json(`bft/${file}`) as VectorFile
  for (const vector of vectors.valid) {
    const { protocol, fields } = vector
    yield outcomeOf(`${file}#valid/${protocol}/${vector.name}`, () => {
      const content = toContent(fields)
      verify(toProtocol(protocol), content, vector.encoded)
      const encode = (encoding: 'withoutSeals' | 'forHash') =>
        formatData(encodeBftExtraData(toProtocol(protocol), content, encoding))
      assert.equal(encode('withoutSeals'), vector.encodedWithoutSeals)
      assert.equal(encode('forHash'), vector.encodedWithoutSealsAndRound)
    })
  }
  for (const { name, protocol, encoded } of vectors.invalid) {
    yield outcomeOf(`${file}#invalid/${protocol}/${name}`, () => {
      assert.throws(() => decodeBftExtraData(toProtocol(protocol), parseData(encoded)), Fault)
    })
  }
}

async function* extraData2021(pack: Pack, file: string): AsyncIterable<Outcome> {
  const vectors = pack.json(`bft/${file}`) as Record<string, Vector2021>
  for (const [name, vector] of Object.entries(vectors)) {
    yield outcomeOf(`${file}#${name}`, () => {
      const { vanityData: vanity, vote, ...fields } = vector.qbft_extra_data
      const type = vote?.voteType === '0xff' ? 'add' : 'drop'
      verify('ibft2', toContent({ ...fields, vanity, vote: vote && { ...vote, type } }), vector.rlp)
    })
  }
}

async function* headers(pack: Pack, file: string): AsyncIterable<Outcome> {
  for (const vector of pack.json(`bft/${file}`) as HeaderVector[]) {
    yield outcomeOf(`${file}#${vector.name}`, () => {
      const protocol = toProtocol(vector.protocol)
      const header = decodeHeader(parseData(vector.headerRlp))
      assert.equal(formatData(encodeHeader(header)), vector.headerRlp)
      assert.equal(header.number, BigInt(vector.number))
      assert.equal(header.timestamp, BigInt(vector.timestamp))
      assert.equal(header.coinbase, vector.coinbase)
      assert.equal(formatData(header.extraData), vector.extraData)
      const content = decodeBftExtraData(protocol, header.extraData)
      assert.deepEqual(content, toContent({ ...vector, seals: vector.committedSeals }))
      assert.equal(formatData(encodeBftExtraData(protocol, content, 'withoutSeals')), vector.extraDataForSeal)
      assert.equal(formatData(encodeBftExtraData(protocol, content, 'forHash')), vector.extraDataForHash)
      const signed = bftCommittedSealHash(protocol, header)
      assert.equal(signed, vector.committedSealHash)
      assert.equal(bftBlockHash(protocol, header), vector.blockHash)
      const committers = content.seals.map((seal) => signerOf(hashToBytes(signed), seal))
      assert.deepEqual(committers, vector.committers)
    })
  }
}

/** Verifies every link, every proposer and commit seal, and the head, with the hashes of legacy IBFT. */
function verifyLegacyChain(pack: Pack): void {
  const genesis = parseGenesis(pack.text('bft/ibft1-chain/genesis-migration.json'))
  assert.ok(genesis.ok)
  const hashBlock = blockHashOf(genesis.genesis.config.consensus)
  let parentHash = genesisHashOf(genesis.genesis, keccak256)
  let number = 0n
  for (const encoded of encodedBlocks(readFileSync(pack.path('bft/ibft1-chain/blocks.bin')))) {
    const block = decodeBlock(encoded)
    assert.ok(equalBytes(encodeBlock(block), encoded))
    const { header } = block
    if (header.number === 0n) continue
    assert.deepEqual([header.number, header.parentHash], [++number, parentHash])
    parentHash = hashBlock(header)
    const content = decodeLegacyIbftExtraData(header.extraData)
    const unsealed = { ...content, proposerSeal: new Uint8Array(0), commitSeals: [] }
    const proposed = hashHeader({ ...header, extraData: encodeLegacyIbftExtraData(unsealed) })
    const proposer = signerOf(keccak256(hashToBytes(proposed)), content.proposerSeal)
    assert.ok(content.validators.includes(proposer), `${number}: the proposer is a validator`)
    const committed = keccak256(concatBytes(hashToBytes(parentHash), Uint8Array.of(2)))
    for (const seal of content.commitSeals) {
      assert.ok(content.validators.includes(signerOf(committed, seal)), `${number}: a seal of a validator`)
    }
  }
  assert.deepEqual([number, parentHash], [100n, LEGACY_HEAD])
}

/** Block 1 builds on the genesis block that the file describes. */
function verifyCliqueGenesis(pack: Pack): void {
  const genesis = cliqueGenesis(pack)
  const first = cliqueHeaders(pack).find(({ number }) => number === 1n)
  assert.equal(genesisHashOf(genesis, keccak256), first?.parentHash)
}

/** Verifies every link and the head, and that one of the first signers sealed each clique block. */
function verifyCliqueSeals(pack: Pack): void {
  const genesis = cliqueGenesis(pack)
  const { extraData } = genesis.header
  const signers = Array.from({ length: (extraData.length - 32 - 65) / 20 }, (_, index) =>
    addressFromBytes(extraData.subarray(32 + index * 20, 52 + index * 20)),
  )
  let parentHash = genesisHashOf(genesis, keccak256)
  let sealed = 0
  for (const header of cliqueHeaders(pack)) {
    if (header.number === 0n) continue
    assert.equal(header.parentHash, parentHash)
    parentHash = hashHeader(header)
    // The merge ends clique: from then on difficulty is 0, and blocks have no seal.
    if (header.difficulty === 0n) continue
    assert.ok(signers.includes(cliqueSigner(header, CRYPTO)), `${header.number}: a signer made it`)
    sealed++
  }
  assert.ok(sealed > 0, 'there are blocks of clique')
  assert.equal(parentHash, CLIQUE_HEAD)
}

function cliqueGenesis(pack: Pack): Genesis {
  const verdict = parseGenesis(pack.text('bft/clique/clique_to_pos.json'))
  assert.ok(verdict.ok)
  return verdict.genesis
}

function cliqueHeaders(pack: Pack): BlockHeader[] {
  const blocks = encodedBlocks(readFileSync(pack.path('bft/clique/blocks.bin')))
  return [...blocks].map((encoded) => decodeBlock(encoded).header)
}

function signerOf(digest: Uint8Array, signature: Uint8Array): Address {
  return addressFromPublicKey(recoverPublicKey(digest, signature))
}

async function* keyPairs(pack: Pack, folder: string): AsyncIterable<Outcome> {
  const publicKeyFiles = pack.files(`bft/${folder}`).filter((path) => path.endsWith('.pub'))
  for (const path of publicKeyFiles) {
    const privateKeyPath = path.slice(0, -'.pub'.length)
    yield outcomeOf(privateKeyPath.slice('bft/'.length), () => {
      const privateKey = parseDataLenient(pack.text(privateKeyPath).trim())
      const publicKey = publicKeyFromPrivate(DEFAULT_CURVE, privateKey)
      assert.equal(formatDigits(publicKey), pack.text(path).trim())
    })
  }
}

/**
 * Checks only the form: the signatures belong to different signers, and the messages have the encoding up to 25.12.
 */
async function* messages(pack: Pack, file: string): AsyncIterable<Outcome> {
  const codec = createQbftCodec(CRYPTO, 'legacy')
  const cases = pack.json(`bft/${file}`) as Record<string, MessageVector>
  for (const [key, { name = key, message, rlp }] of Object.entries(cases)) {
    yield outcomeOf(`${file}#${name}`, () => {
      const decoded = codec.decode(QBFT_CODES[message.type], parseData(rlp))
      assert.deepEqual(describeMessage(decoded), message)
      assert.equal(formatData(codec.encode(decoded).data), rlp)
    })
  }
}

/** The legacy network continues with block 101, which its validators produce by QBFT rules. */
async function continueLegacyChain(pack: Pack): Promise<void> {
  const { chain } = await openMemoryChain(
    parseGenesisText(pack.text('bft/ibft1-chain/genesis-migration.json')),
  )
  const blocks = encodedBlocks(readFileSync(pack.path('bft/ibft1-chain/blocks.bin')))
  const past = await chain.importMany([...blocks].map((encoded) => chain.receive(encoded)))
  assert.ok(past.ok, past.ok ? '' : past.sentence)
  const keys = pack.files('bft/ibft1-chain/keys').filter((path) => !path.endsWith('.pub'))
  const validators = keys
    .map((path) => parseDataLenient(pack.text(path).trim()))
    .map((key) => ({ key, address: addressFromPublicKey(publicKeyFromPrivate(DEFAULT_CURVE, key)) }))
    .sort((a, b) => (a.address < b.address ? -1 : 1))
  const author = validators.find(({ address }) => {
    return address === proposerOf(chain.head.header.coinbase, addressesOf(validators), 0)
  })!
  const short = await extend(chain, { validators, author, sealers: validators.slice(0, 3) })
  assert.match(short.ok ? '' : short.sentence, /4 are needed/)
  const first = await extend(chain, { validators, author, sealers: validators.slice(0, 4) })
  assert.ok(first.ok, first.ok ? '' : first.sentence)
  assert.equal(chain.head.header.number, 101n)
}

function addressesOf(validators: readonly { readonly address: Address }[]): Address[] {
  return validators.map(({ address }) => address)
}

function verify(protocol: BftProtocol, content: BftExtraData, encoded: string): void {
  assert.equal(formatData(encodeBftExtraData(protocol, content)), encoded)
  assert.deepEqual(decodeBftExtraData(protocol, parseData(encoded)), content)
}

function toContent(fields: ValidVector['fields']): BftExtraData {
  return {
    vanity: parseData(fields.vanity),
    validators: fields.validators.map(parseAddress),
    vote: fields.vote && { type: fields.vote.type, recipient: parseAddress(fields.vote.recipient) },
    round: fields.round,
    seals: fields.seals.map((seal) => parseData(seal)),
  }
}

function toProtocol(name: ValidVector['protocol']): BftProtocol {
  return name === 'QBFT' ? 'qbft' : 'ibft2'
}
