/**
 * BFT extra data and keys. The genesis files of the folder are units of the genesis suite; headers,
 * messages and chains wait for the rooms that read them, and are listed until then.
 */
import assert from 'node:assert/strict'
import { parseAddress } from '#types/address.ts'
import {
  type BftExtraData,
  type BftProtocol,
  decodeBftExtraData,
  encodeBftExtraData,
} from '#types/bft-extra-data.ts'
import { DEFAULT_CURVE, publicKeyFromPrivate } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { formatData, formatDigits, parseData, parseDataLenient } from '#types/hex.ts'
import type { Outcome, Pack, Suite } from '../suite.ts'

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

/** The vectors of 2021 say QBFT, but have the encoding that is IBFT 2.0's today. */
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

const suite: Suite = {
  name: 'bft',
  *run(pack: Pack) {
    yield* extraData(pack, 'extra-data-vectors.json')
    yield* extraData2021(pack, 'qbft-messages/bft_extra_data_2021.json')
    yield* keyPairs(pack, 'ibft1-chain/keys')
    yield* waiting(pack, 'header-vectors.json', 'consensus room')
    yield* waiting(pack, 'qbft-messages/messages.json', 'consensus room')
    for (const file of ['ibft1-chain/blocks.bin', 'clique/blocks.bin', 'clique/clique_to_pos.json']) {
      yield { unit: file, status: 'waits', reason: 'chain room' }
    }
  },
}

export default suite

function* extraData(pack: Pack, file: string): Iterable<Outcome> {
  const vectors = pack.json(`bft/${file}`) as VectorFile
  for (const vector of vectors.valid) {
    const { protocol, fields } = vector
    yield outcome(`${file}#valid/${protocol}/${vector.name}`, () => {
      const content = toContent(fields)
      verify(toProtocol(protocol), content, vector.encoded)
      const encode = (encoding: 'withoutSeals' | 'forHash') =>
        formatData(encodeBftExtraData(toProtocol(protocol), content, encoding))
      assert.equal(encode('withoutSeals'), vector.encodedWithoutSeals)
      assert.equal(encode('forHash'), vector.encodedWithoutSealsAndRound)
    })
  }
  for (const { name, protocol, encoded } of vectors.invalid) {
    yield outcome(`${file}#invalid/${protocol}/${name}`, () => {
      assert.throws(() => decodeBftExtraData(toProtocol(protocol), parseData(encoded)), Fault)
    })
  }
}

function* extraData2021(pack: Pack, file: string): Iterable<Outcome> {
  const vectors = pack.json(`bft/${file}`) as Record<string, Vector2021>
  for (const [name, vector] of Object.entries(vectors)) {
    yield outcome(`${file}#${name}`, () => {
      const { vanityData: vanity, vote, ...fields } = vector.qbft_extra_data
      const type = vote?.voteType === '0xff' ? 'add' : 'drop'
      verify('ibft2', toContent({ ...fields, vanity, vote: vote && { ...vote, type } }), vector.rlp)
    })
  }
}

function* keyPairs(pack: Pack, folder: string): Iterable<Outcome> {
  const publicKeyFiles = pack.files(`bft/${folder}`).filter((path) => path.endsWith('.pub'))
  for (const path of publicKeyFiles) {
    const privateKeyPath = path.slice(0, -'.pub'.length)
    yield outcome(privateKeyPath.slice('bft/'.length), () => {
      const privateKey = parseDataLenient(pack.text(privateKeyPath).trim())
      const publicKey = publicKeyFromPrivate(DEFAULT_CURVE, privateKey)
      assert.equal(formatDigits(publicKey), pack.text(path).trim())
    })
  }
}

/** Every case of a file that nothing can run yet. */
function* waiting(pack: Pack, file: string, reason: string): Iterable<Outcome> {
  const cases = pack.json(`bft/${file}`) as Record<string, { readonly name?: string }>
  for (const [key, { name = key }] of Object.entries(cases)) {
    yield { unit: `${file}#${name}`, status: 'waits', reason }
  }
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

function outcome(unit: string, run: () => void): Outcome {
  try {
    run()
    return { unit, status: 'met' }
  } catch (error) {
    return { unit, status: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}
