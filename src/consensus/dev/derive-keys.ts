/** Keys of a mnemonic, as wallets derive them for Ethereum (BIP-44). */
import { createRequire } from 'node:module'
import type * as Bip32 from '@scure/bip32'
import type * as Bip39 from '@scure/bip39'
import type * as English from '@scure/bip39/wordlists/english.js'
import { usageFault } from '#config/faults.ts'

// Loaded on first use: few nodes have a mnemonic, and every start would load 21 modules for it.
const require = createRequire(import.meta.url)
const bip32 = (): typeof Bip32 => require('@scure/bip32')
const bip39 = (): typeof Bip39 => require('@scure/bip39')
const wordList = (): string[] => (require('@scure/bip39/wordlists/english.js') as typeof English).wordlist

const WORD_COUNTS: ReadonlySet<number> = new Set([12, 15, 18, 21, 24])
const ETHEREUM_PATH = "m/44'/60'/0'/0"

export function deriveKeys(mnemonic: string, count: number): readonly Uint8Array[] {
  const words = mnemonic.trim().split(/\s+/)
  requireMnemonic(words)
  const seed = bip39().mnemonicToSeedSync(words.join(' '))
  const parent = bip32().HDKey.fromMasterSeed(seed).derive(ETHEREUM_PATH)
  return Array.from({ length: count }, (_, index) => parent.deriveChild(index).privateKey!)
}

/** Names places and no words: some people use the mnemonic of a wallet with funds. */
function requireMnemonic(words: readonly string[]): void {
  if (!WORD_COUNTS.has(words.length)) {
    throw usageFault(`--dev-mnemonic has ${words.length} words; a mnemonic has 12, 15, 18, 21 or 24.`)
  }
  const known = new Set(wordList())
  const unknown = words.flatMap((word, index) => (known.has(word) ? [] : [index + 1]))
  if (unknown.length > 0) {
    throw usageFault(
      `--dev-mnemonic: not in the English word list of BIP-39: word ${unknown.join(', ')}. Check the spelling.`,
    )
  }
  if (!bip39().validateMnemonic(words.join(' '), wordList())) {
    throw usageFault(
      '--dev-mnemonic has a wrong checksum. Check the order of its words, or create another one.',
    )
  }
}
