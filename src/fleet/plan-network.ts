import { newPrivateKey } from '#platform/new-private-key.ts'
import type { Address } from '#types/address.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import {
  addressFromPublicKey,
  CURVE_NAMES,
  type CurveName,
  DEFAULT_CURVE,
  isPublicKey,
  PUBLIC_KEY_BYTES,
  publicKeyFromPrivate,
} from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { formatData, parseDataLenient } from '#types/hex.ts'
import { JsonNumber, JsonObject, type JsonValue } from '#types/json/json-value.ts'

/** More validators than any BFT network can run; a larger number is a typing error. */
const MAX_NODES = 10_000
const PROGRESS_STEP = 100

/** A network to be written. Everything is decided before the first file, so a refusal leaves nothing behind. */
export interface NetworkPlan {
  readonly genesis: JsonObject
  readonly nodes: readonly PlannedNode[]
}

export interface PlannedNode {
  readonly address: Address
  readonly publicKey: Uint8Array
  /** Absent if the public key was given. */
  readonly privateKey: Uint8Array | undefined
}

export function planNetwork(config: JsonObject, say: (sentence: string) => void): NetworkPlan {
  const genesis = config.get('genesis')
  const genesisConfig = genesis instanceof JsonObject ? genesis.get('config') : undefined
  if (!(genesis instanceof JsonObject) || !(genesisConfig instanceof JsonObject)) {
    throw refusal('Missing config section in config file')
  }
  const curve = curveOf(genesisConfig)
  const nodes = planNodes(config.get('blockchain'), curve, say)
  const protocol = (['ibft2', 'qbft'] as const).find((name) => genesisConfig.get(name) instanceof JsonObject)
  if (!protocol) {
    say(
      'Warning: the genesis configuration has neither an ibft2 nor a qbft section, so no extraData was added.',
    )
    return { genesis, nodes }
  }
  if (nodes.length === 0 && !usesValidatorContract(genesisConfig.get(protocol))) {
    throw refusal(
      'The network would have no validator: give blockchain.nodes.count with "generate": true, or list public keys in blockchain.nodes.keys.',
    )
  }
  genesis.set(
    'extraData',
    formatData(
      encodeGenesisExtraData(
        protocol,
        nodes.map(({ address }) => address),
      ),
    ),
  )
  return { genesis, nodes }
}

function curveOf(genesisConfig: JsonObject): CurveName {
  const given = [...genesisConfig].find(([key]) => key.toLowerCase() === 'eccurve')?.[1]
  if (given === undefined) return DEFAULT_CURVE
  const curve = CURVE_NAMES.find((name) => name === given)
  if (curve) return curve
  const shown = typeof given === 'string' ? given : 'a value that is not text'
  throw refusal(
    `Invalid parameter for ecCurve in genesis config: ${shown} is not in the list of valid elliptic curves [${CURVE_NAMES.join(', ')}]`,
  )
}

function planNodes(
  blockchain: JsonValue | undefined,
  curve: CurveName,
  say: (sentence: string) => void,
): PlannedNode[] {
  const nodes = blockchain instanceof JsonObject ? blockchain.get('nodes') : undefined
  if (!(nodes instanceof JsonObject)) return []
  if (nodes.get('generate') !== true) return importKeys(nodes.get('keys'), curve)
  return generateKeys(nodes.get('count'), curve, say)
}

function generateKeys(
  given: JsonValue | undefined,
  curve: CurveName,
  say: (sentence: string) => void,
): PlannedNode[] {
  const count = given instanceof JsonNumber ? Number(given.text) : Number.NaN
  if (!Number.isInteger(count) || count < 1 || count > MAX_NODES) {
    throw refusal(
      `blockchain.nodes.count must say how many key pairs to generate, a whole number from 1 to ${MAX_NODES}.`,
    )
  }
  return Array.from({ length: count }, (_, index) => {
    if (index > 0 && index % PROGRESS_STEP === 0) say(`Generated ${index} of ${count} key pairs.`)
    return newNodeKey(curve)
  })
}

export function newNodeKey(curve: CurveName): PlannedNode & { readonly privateKey: Uint8Array } {
  const privateKey = newPrivateKey(curve)
  return { ...plannedNode(publicKeyFromPrivate(curve, privateKey), privateKey), privateKey }
}

function importKeys(keys: JsonValue | undefined, curve: CurveName): PlannedNode[] {
  if (keys === undefined) return []
  if (!Array.isArray(keys)) throw refusal('blockchain.nodes.keys must be a list of public keys.')
  return keys.map((key) => plannedNode(importKey(key, curve), undefined))
}

function importKey(key: JsonValue, curve: CurveName): Uint8Array {
  if (typeof key !== 'string') throw refusal(`Invalid key json of type: ${jsonTypeName(key)}`)
  const publicKey = parseDataLenient(key)
  if (publicKey.length !== PUBLIC_KEY_BYTES) {
    throw refusal(
      `${key} is not a public key: it must have ${PUBLIC_KEY_BYTES} bytes, but has ${publicKey.length}.`,
    )
  }
  if (!isPublicKey(curve, publicKey)) {
    throw refusal(`${key} is not a valid public key for elliptic curve ${curve}`)
  }
  return publicKey
}

function plannedNode(publicKey: Uint8Array, privateKey: Uint8Array | undefined): PlannedNode {
  return { address: addressFromPublicKey(publicKey), publicKey, privateKey }
}

/** In contract mode a contract's storage holds the validators, and the extra data is empty. */
function usesValidatorContract(section: JsonValue | undefined): boolean {
  return (
    section instanceof JsonObject &&
    [...section.keys()].some((key) => key.toLowerCase() === 'validatorcontractaddress')
  )
}

function jsonTypeName(value: JsonValue): string {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return 'ARRAY'
  if (value instanceof JsonNumber) return 'NUMBER'
  return typeof value === 'boolean' ? 'BOOLEAN' : 'OBJECT'
}

/** The network cannot be created as described. Nothing has been written. */
export function refusal(sentence: string): Fault {
  return new Fault('NETWORK_REFUSED', { sentence })
}
