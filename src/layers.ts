/**
 * The map of the house: which room may import which. `test/tidy.test.ts` enforces it. Calls go down, events go
 * up: a room never imports its listener. What a lower room needs of a higher one is an interface that `node` fills, as chain
 * asks consensus for the rules of headers. Threads cut across: any room may run on several of them, and the map is
 * the same on all. See ARCHITECTURE.md for what each room owns.
 */
const FOUNDATION = ['types', 'platform', 'config'] as const

export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  types: [],
  platform: ['types'],
  config: ['types', 'platform'],
  store: [...FOUNDATION],
  evm: [...FOUNDATION],
  abi: [...FOUNDATION],
  chain: [...FOUNDATION, 'store', 'evm'],
  pool: [...FOUNDATION, 'evm', 'chain'],
  consensus: [...FOUNDATION, 'abi', 'store', 'evm', 'chain', 'p2p'],
  p2p: [...FOUNDATION, 'evm'],
  sync: [...FOUNDATION, 'evm', 'chain', 'pool', 'p2p'],
  allowlist: [...FOUNDATION, 'p2p'],
  serve: [...FOUNDATION],
  plugins: [...FOUNDATION, 'pool', 'consensus', 'p2p', 'sync'],
  jsonrpc: [...FOUNDATION, 'serve'],
  console: [...FOUNDATION, 'serve', 'jsonrpc'],
  'engine-api': [...FOUNDATION, 'evm', 'chain', 'serve', 'jsonrpc'],
  api: [
    ...FOUNDATION,
    'p2p',
    'evm',
    'chain',
    'pool',
    'consensus',
    'sync',
    'allowlist',
    'serve',
    'plugins',
    'jsonrpc',
    'console',
    'engine-api',
  ],
  node: [
    ...FOUNDATION,
    'store',
    'evm',
    'chain',
    'pool',
    'consensus',
    'p2p',
    'sync',
    'allowlist',
    'serve',
    'plugins',
    'jsonrpc',
    'console',
    'engine-api',
    'api',
  ],
  doctor: [
    ...FOUNDATION,
    'store',
    'evm',
    'chain',
    'consensus',
    'p2p',
    'allowlist',
    'serve',
    'plugins',
    'jsonrpc',
    'api',
    'node',
  ],
  fleet: [...FOUNDATION],
  cli: [...FOUNDATION, 'abi', 'chain', 'p2p', 'plugins', 'node', 'jsonrpc', 'api', 'doctor', 'fleet'],
}

/** Modules of Node that touch the outside world, and the rooms (or folders) that may. */
export const OUTSIDE_DOORS: Readonly<Record<string, readonly string[]>> = {
  'node:child_process': ['platform', 'fleet', 'cli'],
  'node:dgram': ['platform', 'p2p'],
  'node:fs': ['platform', 'store', 'fleet', 'cli'],
  'node:fs/promises': ['platform', 'store', 'cli'],
  'node:http': ['platform', 'serve', 'cli'],
  'node:https': ['platform', 'serve', 'cli'],
  'node:net': ['platform', 'p2p', 'serve', 'fleet', 'cli'],
  'node:tls': ['platform', 'serve', 'cli'],
  'node:worker_threads': ['platform', 'cli'],
}

/** What only `platform` may say, because everything else must run the same way twice. */
export const NON_DETERMINISM = [
  'Date.now',
  'new Date()',
  'performance.now',
  'process.hrtime',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'Math.random',
  'console.',
] as const

export const LIMITS = { fileLines: 600, functionLines: 70, folderDepth: 3, folderFiles: 40 } as const

/** File and folder names that say nothing about what is inside. */
export const BANNED_NAMES = [
  'util',
  'utils',
  'helper',
  'helpers',
  'manager',
  'common',
  'index',
  'misc',
] as const
