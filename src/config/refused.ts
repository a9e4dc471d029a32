import { pairs, path, text } from './kinds.ts'
import { defineOptions, type Option } from './option.ts'

/**
 * Options that protect a node, its users or its chain and that Cairn does not implement yet. Ignoring one would give less
 * protection than its operator asked for, so it stops the start. A row moves to the room that implements it. `--network`,
 * `--metrics-protocol` and `--metrics-push-enabled`, in `node`, refuse in the same way.
 */
export const refusedRows: readonly Option[] = [
  ...Object.values(
    defineOptions('Peer-to-peer network', {
      requiredBlocks: {
        flag: '--required-blocks',
        aliases: ['--required-block'],
        kind: pairs,
        help: 'Blocks that peers must have.',
        refused: {
          why: 'Cairn does not compare single blocks with other nodes; remove the option only if this node may follow any chain of its genesis file.',
        },
      },
    }),
  ),
  ...Object.values(
    defineOptions('Data storage', {
      keyValueStorage: {
        flag: '--key-value-storage',
        kind: text,
        help: 'Name of the key-value storage.',
        refused: {
          why: "Cairn has one key-value storage, which writes to disk without encryption; use rocksdb, the default's name, or remove the option.",
          accepts: (name) => name === 'rocksdb',
        },
      },
      kzgTrustedSetup: {
        flag: '--kzg-trusted-setup',
        kind: path,
        help: 'Trusted setup for blobs.',
        refused: {
          why: 'Cairn verifies blobs only with the setup of the public ceremony and would validate blocks differently from your network; remove the option only if your network uses that setup.',
        },
      },
    }),
  ),
  ...Object.values(
    defineOptions('Node', {
      overrideGenesisConfig: {
        flag: '--override-genesis-config',
        hidden: true,
        kind: pairs,
        help: 'Overrides for the configuration of the genesis file.',
        refused: {
          why: 'Cairn does not replace values of a genesis file and would follow other rules than your network; write them into the genesis file.',
        },
      },
    }),
  ),
]
