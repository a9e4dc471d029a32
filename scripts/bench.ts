// npm run bench -- <name> [options]: runs a benchmark. The head of its file lists its options.
import { type NamedPrograms, runNamed } from './run-named.ts'

export const BENCHES: NamedPrograms = {
  archive: {
    does: 'two nodes and a fresh third one that share an archive on an S3 server',
    args: ['bench/archive.ts'],
  },
  beside: { does: 'another benchmark in two checkouts, in turn', args: ['bench/beside.ts'] },
  'call-parts': { does: 'parts of a short call in the native engine', args: ['bench/call-parts.ts'] },
  'catch-up': {
    does: 'a new node that syncs from a peer, a block file or a snapshot',
    args: ['bench/catch-up.ts'],
  },
  'console-log': {
    does: 'the search for console.log in blocks without it, as a part of the node',
    args: ['bench/console-log.ts'],
  },
  'dev-chain': {
    does: 'snapshots of a development chain: heap, and the cost of a revert by height',
    args: ['bench/dev-chain.ts'],
  },
  'dev-suite': {
    does: 'a suite of contract tests next to Hardhat, ganache and anvil',
    args: ['bench/dev-suite.ts'],
  },
  copy: { does: 'a rehearsal on the copy of a chain', args: ['bench/copy.ts'] },
  embed: {
    does: 'time until a program has its own development chain, next to other programs',
    args: ['bench/embed.ts'],
  },
  engine: { does: 'code on both engines, on bare revm and on @ethereumjs/evm', args: ['bench/engine.ts'] },
  'engine-api': {
    does: 'newPayload of full blocks of ERC-20 transfers next to geth, and getPayload',
    args: ['bench/engine-api.ts'],
  },
  fair: { does: 'latency of one user while another floods the node', args: ['bench/fair.ts'] },
  gossip: { does: 'load on main from 100 peers that send transactions', args: ['bench/gossip.ts'] },
  growth: { does: 'reads on chains of several lengths', args: ['bench/growth.ts'] },
  import: { does: 'block import next to the bare engine and @ethereumjs/vm', args: ['bench/import.ts'] },
  keccak: { does: 'keccak-256 in WebAssembly next to the pure version', args: ['bench/keccak.ts'] },
  'long-chain': {
    does: 'bytes, imports, reads and starts at a million and at ten million transactions',
    args: ['bench/long-chain.ts'],
  },
  network: { does: 'throughput, latency and CPU of four validators', args: ['bench/network.ts'] },
  'network-start': {
    does: 'time from nothing to the first transaction in a block',
    args: ['bench/network-start.ts'],
  },
  'on-time': { does: 'block intervals under transactions and vmTraces', args: ['bench/on-time.ts'] },
  p2p: { does: 'messages and handshakes between two processes', args: ['bench/p2p.ts'] },
  plugins: { does: 'cost of an admission plugin', args: ['bench/plugins.ts'] },
  pool: {
    does: 'transactions from the socket to the receipt, next to other programs',
    args: ['bench/pool.ts'],
  },
  'pool-core': { does: 'pool operations by pool size', args: ['bench/pool-core.ts'] },
  read: { does: 'read calls next to anvil and a bare HTTP echo', args: ['bench/read.ts'] },
  recover: { does: 'sender recovery, native and pure', args: ['bench/recover.ts'] },
  requests: {
    does: 'the ten most frequent methods next to a bare HTTP echo and anvil',
    args: ['bench/requests.ts'],
  },
  rpc: { does: 'JSON-RPC over HTTP and WebSocket next to bare servers', args: ['bench/rpc.ts'] },
  scale: { does: 'costs by number of validators, followers and transactions', args: ['bench/scale.ts'] },
  signer: { does: 'a signature over HTTP next to a key in memory', args: ['bench/signer.ts'] },
  start: { does: 'start time and idle memory of a node', args: ['bench/start.ts'] },
  state: {
    does: 'state reads on a chain that is larger than memory',
    args: ['--max-old-space-size=256', 'bench/state.ts'],
  },
  'state-growth': {
    does: 'the cost of a transfer on states of 1, 5 and 10 million accounts',
    args: ['bench/state-growth.ts'],
  },
  subscribers: {
    does: 'heads and logs for 10,000 WebSocket clients',
    args: ['bench/subscribers.ts'],
  },
  trace: { does: 'traces next to anvil, and stored call trees', args: ['bench/trace.ts'] },
  'trace-events': { does: 'cost of each kind of trace event', args: ['bench/trace-events.ts'] },
}

if (import.meta.main) runNamed('bench', BENCHES, process.argv.slice(2))
