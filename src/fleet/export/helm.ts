/** A network as values of the chart in deploy/helm/cairn, and its keys as secrets of Kubernetes. */

import { isValidator } from '#fleet/network-directory.ts'
import type { NewFile } from '#fleet/new-network.ts'
import { containerConfig, type ExportedNode, leastPeers } from './exported-node.ts'

/** Where the chart puts the files of a node. */
const FILES = '/etc/cairn'
const SECRETS = '/etc/cairn-secrets'
const HOME = '/var/lib/cairn'
const ACCOUNTS = /^accounts-allowlist *= *(\[[^\]]*\])/m

export function exportHelm(nodes: readonly ExportedNode[], image: string): NewFile[] {
  const colon = image.lastIndexOf(':')
  const permissions = nodes[0]!.files.permissions?.text
  const values = {
    image: { repository: image.slice(0, colon), tag: image.slice(colon + 1) },
    genesis: nodes[0]!.files.genesis?.text ?? '{}',
    minPeers: leastPeers(nodes),
    permissions: {
      enabled: permissions !== undefined,
      accounts: JSON.parse(ACCOUNTS.exec(permissions ?? '')?.[1] ?? '[]') as string[],
    },
    nodes: nodes.map((node) => ({
      name: node.name,
      id: node.id,
      isValidator: isValidator(node.node),
      secret: secretName(node),
      config: containerConfig(node, pathsOf(node)),
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

function pathsOf({ files }: ExportedNode) {
  const { keyPassword, permissions, credentials } = files
  return {
    'data-path': `${HOME}/data`,
    'genesis-file': `${FILES}/genesis.json`,
    'node-private-key-file': `${SECRETS}/key`,
    ...(keyPassword !== undefined && { 'node-key-password-file': `${SECRETS}/key-password` }),
    'static-nodes-file': `${FILES}/static-nodes.json`,
    // Names of services, which the chart makes up; nobody but pods and who is let in reaches the port.
    'host-allowlist': ['*'],
    ...(permissions !== undefined && {
      'permissions-nodes-config-file': `${HOME}/permissions_config.toml`,
      'permissions-accounts-config-file': `${HOME}/permissions_config.toml`,
    }),
    ...(credentials !== undefined && {
      'rpc-http-authentication-credentials-file': `${SECRETS}/credentials.toml`,
      'rpc-ws-authentication-credentials-file': `${SECRETS}/credentials.toml`,
    }),
  }
}

function secretOf(node: ExportedNode): string {
  const { key, keyPassword, credentials } = node.files
  const stringData = {
    key: key!.text,
    ...(keyPassword && { 'key-password': keyPassword.text }),
    ...(credentials && { 'credentials.toml': credentials.text }),
  }
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: secretName(node) }, stringData }
  return `# kubectl apply --filename secrets.yaml\n${JSON.stringify(secret, undefined, 2)}\n`
}
