import type { Pack } from '../suite.ts'

/**
 * The nodes of the recording's table, as options. Ports are chosen freely; the data path is new. Missing features
 * (the node's key, the p2p host) are left out.
 */
const ALL = 'ADMIN,DEBUG,ETH,MINER,NET,PERM,PLUGINS,QBFT,IBFT,TRACE,TXPOOL,WEB3'
const SOME = 'ADMIN,DEBUG,ETH,NET,QBFT,TXPOOL,WEB3'

/** The same option for both transports. */
function both(name: string, value: string): string[] {
  return [`--rpc-http-${name}=${value}`, `--rpc-ws-${name}=${value}`]
}

function genesis(pack: Pack, name: string): string {
  return `--genesis-file=${pack.path(`recorded/config/${name}.json`)}`
}

const AUTHENTICATED = both('authentication-enabled', 'true')
/** The recording logs in more often per minute than the default limit permits. */
const UNLIMITED_LOGIN = '--rpc-login-attempts-per-minute=0'

export function optionsOfA(pack: Pack): string[] {
  return [genesis(pack, 'g1s'), ...both('api', ALL)]
}

/** The named nodes do not exist here, so the node must not look for them. */
const AT_HOME = ['--discovery-enabled=false', '--net-restrict=127.0.0.0/8']

/** Node p1: both lists in one file. */
export function optionsOfP1(pack: Pack, permissionsFile: string): string[] {
  return [
    ...optionsOfA(pack),
    ...AT_HOME,
    `--node-private-key-file=${pack.path('recorded/config/key1')}`,
    '--permissions-accounts-config-file-enabled',
    `--permissions-accounts-config-file=${permissionsFile}`,
    ...optionsOfNodesList(permissionsFile),
    `--bootnodes=enode://${'aa'.repeat(64)}@192.168.1.10:30303`,
  ]
}

/** Nodes p2 and p3. */
export function optionsOfNames(pack: Pack, permissionsFile: string, areKept: boolean): string[] {
  return [
    ...optionsOfA(pack),
    ...AT_HOME,
    ...optionsOfNodesList(permissionsFile),
    '--Xdns-enabled=true',
    `--Xdns-update-enabled=${areKept}`,
  ]
}

/** Node pb, and pa, which has a list. */
export function optionsOfPeer(pack: Pack, permissionsFile?: string): string[] {
  const common = [
    genesis(pack, 'glong'),
    ...both('api', ALL),
    '--discovery-enabled=false',
    '--p2p-host=127.0.0.1',
  ]
  if (permissionsFile === undefined) return common
  const key = `--node-private-key-file=${pack.path('recorded/config/key1')}`
  return [...common, key, ...optionsOfNodesList(permissionsFile)]
}

function optionsOfNodesList(permissionsFile: string): string[] {
  return ['--permissions-nodes-config-file-enabled', `--permissions-nodes-config-file=${permissionsFile}`]
}

/** Node r; the transaction options have no effect here. */
export function optionsOfR(pack: Pack): string[] {
  return [
    genesis(pack, 'greward'),
    ...both('api', ALL),
    `--node-private-key-file=${pack.path('recorded/config/key1')}`,
    '--rpc-http-max-request-content-length=100000',
    '--rpc-http-max-batch-size=3',
    '--rpc-http-cors-origins=*',
    '--host-allowlist=*',
    '--identity=recorder',
    '--json-pretty-print-enabled=true',
    '--rpc-ws-max-frame-size=65536',
    '--rpc-http-max-active-connections=5',
    '--rpc-max-trace-filter-range=50',
    '--rpc-max-logs-range=50',
    '--rpc-max-active-filters=3',
    '--rpc-ws-max-active-subscriptions=5',
    '--revert-reason-enabled',
  ]
}

export function optionsOfR2(pack: Pack): string[] {
  return [
    genesis(pack, 'greward'),
    ...both('api', ALL),
    '--rpc-http-max-active-connections=5',
    '--rpc-ws-max-active-connections=3',
    '--host-allowlist=localhost',
  ]
}

export function optionsOfAu(pack: Pack, credentialsFile: string): string[] {
  return [
    genesis(pack, 'g1s'),
    ...both('api', SOME),
    ...AUTHENTICATED,
    ...both('authentication-credentials-file', credentialsFile),
    UNLIMITED_LOGIN,
    '--rpc-http-cors-origins=http://good.example,https://.*\\.wild\\.example',
  ]
}

export function optionsOfAu2(pack: Pack, credentialsFile: string): string[] {
  return [
    genesis(pack, 'g1s'),
    ...both('api', SOME),
    ...AUTHENTICATED,
    ...both('authentication-credentials-file', credentialsFile),
    UNLIMITED_LOGIN,
    '--rpc-http-api-methods-no-auth=net_version,eth_blockNumber',
    '--rpc-ws-api-methods-no-auth=net_version,eth_subscribe',
  ]
}

/** Nodes ap and ae. */
export function optionsOfPublicKey(pack: Pack, key: 'rsa' | 'ec', algorithm: 'RS256' | 'ES256'): string[] {
  return [
    genesis(pack, 'g1s'),
    ...both('api', SOME),
    ...AUTHENTICATED,
    ...both('authentication-jwt-public-key-file', pack.path(`recorded/config/auth-keys/${key}.pub`)),
    ...both('authentication-jwt-algorithm', algorithm),
  ]
}

/** A key on secp256k1 for HTTP, no authentication for WebSocket. */
export function optionsOfAk(pack: Pack): string[] {
  return [
    genesis(pack, 'g1s'),
    ...both('api', ALL),
    '--rpc-http-authentication-enabled=true',
    `--rpc-http-authentication-jwt-public-key-file=${pack.path('recorded/config/auth-keys/k1.pub')}`,
    '--rpc-http-authentication-jwt-algorithm=ES256',
  ]
}
