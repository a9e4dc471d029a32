/** Deliberate differences from Besu's command line; their texts are checked too. */
export interface Deviation {
  /** Row of docs/reference/compatibility.md. Numbers refer to the pack's corrections; C and J rows are Cairn's. */
  readonly decision: string
  readonly code: number | 'running'
  /** The first line of standard error, or a line of the log. */
  readonly says?: string
  /** Standard output; empty by default. */
  readonly prints?: RegExp
}

const NO_VALIDATOR =
  'The network would have no validator: give blockchain.nodes.count with "generate": true, or list public keys in blockchain.nodes.keys.'
const NO_COUNT =
  'blockchain.nodes.count must say how many key pairs to generate, a whole number from 1 to 10000.'

/** Deviations by index in recorded/cli.json. None of them writes a file. */
export const DEVIATIONS: Readonly<Record<number, Deviation>> = {
  12: { decision: '44', code: 1, says: 'nope.json does not exist. Check the path.' },
  15: { decision: '44', code: 1, says: NO_VALIDATOR },
  18: { decision: 'C1', code: 1, says: 'Missing config section in config file' },
  22: { decision: '44', code: 1, says: NO_VALIDATOR },
  23: { decision: '44', code: 1, says: NO_COUNT },
  24: { decision: '44', code: 1, says: NO_COUNT },
  25: { decision: '44', code: 1, says: NO_COUNT },
  26: { decision: '44', code: 1, says: NO_VALIDATOR },
  46: {
    decision: '43',
    code: 0,
    // The output for the type in capital letters, entry 31.
    prints:
      /^0xf84fa00{64}ea94be068f726a13c8d46c44be6ce9d275600e1735a4945ff6f4b66a46a2b2310a6f3a93aaddc0d9a1c193c080c0\n$/,
  },
  76: { decision: '44', code: 2, says: 'Unknown options in TOML configuration file unk.toml: foo, bar.' },
  77: {
    decision: 'C2',
    code: 1,
    says: "Invalid value for option '--rpc-http-port': 'abc' is not an int (from the config file badval.toml).",
  },
  78: {
    decision: '44',
    code: 2,
    says: 'Invalid TOML configuration: badtoml.toml, line 1, column 15: invalid value.',
  },
  79: {
    decision: '44',
    code: 2,
    says: 'Unable to read from empty TOML configuration file empty.toml.',
  },
  81: { decision: '44', code: 2, says: 'Unknown option in TOML configuration file short.toml: h.' },
  83: { decision: '44', code: 2, says: 'Unknown option in TOML configuration file table.toml: y.' },
  84: {
    decision: '44',
    code: 2,
    says: 'Unable to read TOML configuration, file not found: nope.toml',
  },
  85: { decision: '44', code: 2, says: "Missing required option: '--config-file=<FILE>'" },
  93: { decision: 'C3', code: 0, prints: /^Usage:\n\ncairn \[OPTIONS\] \[COMMAND\]\n/ },
  104: { decision: 'J11', code: 'running', says: 'Cairn is up' },
  114: { decision: 'C4', code: 'running', says: '--tx-pool-max-size=10 (from the command line)' },
  121: { decision: 'C15', code: 'running', says: 'Cairn is up' },
}
