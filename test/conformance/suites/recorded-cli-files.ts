/** Compares the files that a command writes with Besu's. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { addressFromPublicKey, isPrivateKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData, parseDataLenient } from '#types/hex.ts'

export type Files = Readonly<Record<string, string>>

/** Every file below a folder, by relative path. */
export function listFiles(folder: string): ReadonlySet<string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)),
  )
}

/**
 * Generated keys differ between runs, and so do the folders named after their addresses and the extra data.
 * Everything else must be equal to the byte, and keys must belong together. `isGiven` is true if the keys come from
 * the recording.
 */
export function filesMistake(recorded: Files, actual: Files, isGiven: boolean): string | undefined {
  const form = (text: string) => (isGiven ? text : withoutKeys(text))
  const places = (files: Files) => Object.keys(files).map(form).sort().join(', ')
  if (places(recorded) !== places(actual)) return `left ${places(actual)} instead of ${places(recorded)}`
  const expected = new Map(Object.entries(recorded).map(([path, text]) => [form(path), form(text)]))
  for (const [path, text] of Object.entries(actual)) {
    if (form(text) !== expected.get(form(path))) return `${path} holds ${text}`
  }
  return keysMistake(actual)
}

/** Replaces the keys of generated nodes in a path or text. */
function withoutKeys(text: string): string {
  return text
    .replace(/\bd594[0-9a-f]{40}/, 'd594…')
    .replace(/d594[0-9a-f]{40}(?=c080c0|808400000000c0)/, 'd594…')
    .replace(/0x([0-9a-f]{40})(?=\/)/, '0x…')
    .replace(/^0x[0-9a-f]{64}$/, 'a private key')
    .replace(/^0x[0-9a-f]{128}$/, 'a public key')
}

/** A private key must match its public key, and that the address in the folder name and the validator list. */
function keysMistake(files: Files): string | undefined {
  const genesis = Object.entries(files).find(([path]) => path.endsWith('.json'))?.[1]
  for (const folder of new Set(Object.keys(files).map(dirname))) {
    const address = basename(folder)
    if (!/^0x[0-9a-f]{40}$/.test(address)) continue
    const inside = Object.entries(files).filter(([path]) => dirname(path) === folder)
    const keys = inside.map(([, text]) => parseDataLenient(text.slice(2)))
    const [pub, priv] = [keys.find(({ length }) => length === 64), keys.find(({ length }) => length === 32)]
    if (pub === undefined || addressFromPublicKey(pub) !== address)
      return `the public key in ${folder} is another's`
    if (priv !== undefined && formatData(publicOf(priv)) !== formatData(pub))
      return `the private key in ${folder} is another's`
    if (genesis?.includes('extraData') && !genesis.includes(address.slice(2)))
      return `${address} is no validator of the genesis file`
  }
  return undefined
}

function publicOf(privateKey: Uint8Array): Uint8Array {
  return isPrivateKey('secp256k1', privateKey)
    ? publicKeyFromPrivate('secp256k1', privateKey)
    : new Uint8Array()
}

export function readFiles(folder: string, paths: Iterable<string>): Files {
  return Object.fromEntries([...paths].map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

/** The public key of a file with a private key. */
export function publicKeyOfFile(folder: string, path: string): string {
  return formatData(publicOf(parseDataLenient(readFileSync(join(folder, path), 'utf8').trim().slice(2))))
}
