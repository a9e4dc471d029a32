/** Exports a network as values for the chart in deploy/helm/cairn, and its keys as Kubernetes secrets. */

import { isValidator } from '#fleet/network-directory.ts'
import type { NewFile } from '#fleet/new-network.ts'
import {
  CONTAINER_PORTS,
  containerConfig,
  EVERYWHERE,
  type ExportedNode,
  hasConsole,
  hostsOf,
  isExposed,
  leastPeers,
  permittedByAll,
} from './exported-node.ts'

/** The paths at which the chart mounts a node's files. */
const FILES = '/etc/cairn'
const SECRETS = '/etc/cairn-secrets'
const HOME = '/var/lib/cairn'
const PERMISSIONS = `${HOME}/permissions_config.toml`
const HTTP_USERS = 'credentials.toml'
const WS_USERS = 'credentials_ws.toml'
const LOOPBACK = '127.0.0.1'

export function exportHelm(nodes: readonly ExportedNode[], image: string): NewFile[] {
  const colon = image.lastIndexOf(':')
  const accounts = permittedByAll(nodes, 'accountPermissions')
  const permitted = permittedByAll(nodes, 'nodePermissions')
  const values = {
    image: { repository: image.slice(0, colon), tag: image.slice(colon + 1) },
    genesis: nodes[0]!.files.genesis?.text ?? '{}',
    minPeers: leastPeers(nodes),
    permissions: { enabled: (accounts ?? permitted) !== undefined, accounts: accounts ?? [] },
    nodes: nodes.map((node) => ({
      name: node.name,
      id: node.id,
      isValidator: isValidator(node.node),
      isPermitted: permitted?.some((url) => url.startsWith(`enode://${node.id}@`)) ?? true,
      expose: {
        http: isExposed(node, 'http'),
        ws: isExposed(node, 'ws'),
        metrics: isExposed(node, 'metrics'),
      },
      // The chart knows the names of the release, which the console and the hosts need.
      console: hasConsole(node),
      hosts: hostsOf(node),
      secret: secretName(node),
      config: node.hasSecretConfig ? '' : configOf(node),
    })),
  }
  return [
    {
      path: 'values.yaml',
      content: `# helm install NAME deploy/helm/cairn --values values.yaml\n${JSON.stringify(values, undefined, 2)}\n`,
      isSecret: false,
    },
    { path: 'secrets.yaml', content: nodes.map(secretOf).join('---\n'), isSecret: true },
  ]
}

const secretName = ({ name }: ExportedNode): string => `cairn-${name}`

/** A service on the loopback interface stays there in its pod, where `kubectl port-forward` reaches it. */
function configOf(node: ExportedNode): string {
  return containerConfig(node, (service) => (isExposed(node, service) ? EVERYWHERE : LOOPBACK), {
    ...pathsOf(node),
    ...(hasConsole(node) && { 'console-host': LOOPBACK, 'console-port': CONTAINER_PORTS.console }),
  })
}

function pathsOf({ files }: ExportedNode) {
  const { keyPassword, nodePermissions, accountPermissions, httpCredentials, wsCredentials } = files
  return {
    'data-path': `${HOME}/data`,
    'genesis-file': `${FILES}/genesis.json`,
    'node-private-key-file': `${SECRETS}/key`,
    ...(keyPassword && { 'node-key-password-file': `${SECRETS}/key-password` }),
    'static-nodes-file': `${FILES}/static-nodes.json`,
    ...(nodePermissions && { 'permissions-nodes-config-file': PERMISSIONS }),
    ...(accountPermissions && { 'permissions-accounts-config-file': PERMISSIONS }),
    ...(httpCredentials && { 'rpc-http-authentication-credentials-file': `${SECRETS}/${HTTP_USERS}` }),
    ...(wsCredentials && { 'rpc-ws-authentication-credentials-file': `${SECRETS}/${WS_USERS}` }),
  }
}

function secretOf(node: ExportedNode): string {
  const { key, keyPassword, httpCredentials, wsCredentials } = node.files
  const stringData = {
    key: key!.text,
    ...(keyPassword && { 'key-password': keyPassword.text }),
    ...(httpCredentials && { [HTTP_USERS]: httpCredentials.text }),
    ...(wsCredentials && { [WS_USERS]: wsCredentials.text }),
    ...(node.hasSecretConfig && { 'config.toml': configOf(node) }),
  }
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: secretName(node) }, stringData }
  return `# kubectl apply --filename secrets.yaml\n${JSON.stringify(secret, undefined, 2)}\n`
}
