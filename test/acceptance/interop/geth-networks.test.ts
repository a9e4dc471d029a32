/* Genesis files of public networks as geth writes them: Cairn computes the same genesis hashes and fork ids. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { ForkIds } from '#chain/read/fork-id.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { PUBLIC_NETWORKS } from '#node/networks/public-networks.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { findGethProgram } from '../../support/geth-program.ts'
import { temporaryDirectory } from '../../support/program.ts'

const geth = findGethProgram('geth')
const skip = geth === undefined && 'Go is missing, which builds geth'

/** The fork hashes at block 0, at the first block of Prague, and in the future, from geth's tests. */
const NETWORKS = {
  mainnet: {
    hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
    pragueTime: 1_746_612_311n,
    forks: ['0xfc64ec04', '0xc376cf8b', '0x07c9462e'],
  },
  sepolia: {
    hash: '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9',
    pragueTime: 1_741_159_776n,
    forks: ['0xfe3366e7', '0xed88b5fd', '0x268956b6'],
  },
  holesky: {
    hash: '0xb5f7f912443c940f21fd611f12828d75b534364ed9e95ca4e307729a4661bde4',
    pragueTime: 1_740_434_112n,
    forks: ['0xc61a6098', '0xdfbd9bed', '0x9bc6cb31'],
  },
  hoodi: {
    hash: '0xbbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b',
    pragueTime: 1_742_999_832n,
    forks: ['0xbef71d30', '0x0929e24e', '0x23aa1351'],
  },
} as const
const LATER = 30_000_000n
const FUTURE = 2_000_000_000n

for (const [name, { hash, pragueTime, forks }] of Object.entries(NETWORKS)) {
  test(`the genesis file of ${name} has its hash and fork ids`, { skip }, async (t) => {
    const args = [`--${name}`, '--datadir', temporaryDirectory(t), 'dumpgenesis']
    const verdict = parseGenesis(
      execFileSync(geth!, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )
    if (!verdict.ok) assert.fail(JSON.stringify(verdict.problems))
    const { config, header } = verdict.genesis
    const genesisHash = genesisHashOf(verdict.genesis, (await loadCrypto()).keccak)
    assert.equal(genesisHash, hash)
    const ids = new ForkIds(genesisHash, header.timestamp, config.forks)
    const positions = [
      { number: 0n, timestamp: 0n },
      { number: LATER, timestamp: pragueTime },
      { number: LATER, timestamp: FUTURE },
    ]
    assert.deepEqual(
      positions.map((position) => ids.at(position).hash),
      forks,
    )
    const builtIn = PUBLIC_NETWORKS.get(name.toUpperCase())
    if (builtIn === undefined) return
    const own = parseGenesis(builtIn.genesisText(0))
    if (!own.ok) assert.fail(JSON.stringify(own.problems))
    const settings = ({ config: given }: typeof own.genesis) => ({
      chainId: given.chainId,
      terminal: given.terminalTotalDifficulty,
      blobs: given.blobSchedule,
      deposits: given.depositContractAddress,
    })
    assert.deepEqual(settings(own.genesis), settings(verdict.genesis))
  })
}
