import { historyBlocks } from '#chain/ledger/export-history.ts'
import { formatBytes } from '#cli/byte-progress.ts'
import { defineCommand } from '#cli/command.ts'
import { tellEachSecond } from '#cli/each-second.ts'
import { ERA_BLOCKS } from '#cli/era/accumulator.ts'
import { readEras, writeEras } from '#cli/era/era-directory.ts'
import { importChain } from '#cli/import-chain.ts'
import { readLedger } from '#cli/read-ledger.ts'
import { usageFault } from '#config/faults.ts'
import { boolean, integer, path, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import { blockHashOf } from '#types/block/block-hash.ts'

const NETWORK_NAME = /^[a-z0-9]{1,32}$/

const exportOptions = defineOptions('Options', {
  to: {
    flag: '--to',
    kind: path,
    label: 'DIRECTORY',
    required: true,
    help: 'Directory to create, with one file per 8,192 blocks.',
  },
  name: {
    flag: '--name',
    kind: text,
    label: 'NETWORK',
    default: 'cairn',
    help: 'Network name in file names.',
    details: 'geth only reads files named mainnet, sepolia, holesky or hoodi, whatever chain is in them.',
  },
  startEra: {
    flag: '--start-era',
    kind: integer({ min: 0 }),
    label: 'NUMBER',
    default: 0,
    help: 'First era to export; era n begins with block 8192 × n.',
  },
})

export const exportEras = defineCommand({
  options: exportOptions,
  async run({ own, root, io }) {
    const name = own.get(exportOptions.name)
    if (!NETWORK_NAME.test(name)) throw usageFault('--name has up to 32 lower-case letters and digits.')
    const to = own.get(exportOptions.to)
    const tell = tellEachSecond(io)
    const blocks = historyBlocks(readLedger(root()), ERA_BLOCKS * own.get(exportOptions.startEra))
    const written = await writeEras(to, name, blocks, (number) => tell(() => `Exported block ${number}.`))
    io.out(
      `Exported ${written.blocks} blocks to ${to}: ${written.files} files, ${formatBytes(written.bytes)}.\n`,
    )
  },
})

const importOptions = defineOptions('Options', {
  from: {
    flag: '--from',
    kind: path,
    label: 'DIRECTORY',
    required: true,
    help: 'Directory with era files (.era1).',
  },
  skipPow: {
    flag: '--skip-pow-validation-enabled',
    kind: boolean,
    default: false,
    help: 'Skip proof-of-work verification, which Cairn does not support.',
  },
})

export const importEras = defineCommand({
  options: importOptions,
  async run({ own, root, io }) {
    const settings = root()
    const ledger = readLedger(settings)
    const hashBlock = blockHashOf(ledger.genesis.config.consensus, loadFastKeccak())
    await importChain(settings, io, {
      ledger,
      blocks: readEras(own.get(importOptions.from), hashBlock),
      startBlock: 0n,
      endBlock: undefined,
      skipsPow: own.get(importOptions.skipPow),
    })
  },
})
