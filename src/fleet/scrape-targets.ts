/** A network's nodes for Prometheus: one file for `file_sd_configs`, with each node under its name. */
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import { writeFileAtomic } from '#platform/files/files.ts'
import { isRemoved, nodesOf, readConfig } from './network-directory.ts'

export const TARGETS_FILE = 'prometheus-targets.json'
const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_PORT = 9_545
const EVERYWHERE: readonly unknown[] = ['0.0.0.0', '::']

export interface ScrapedNode {
  readonly name: string
  readonly host: string
  readonly port: number
}

export function formatTargets(nodes: readonly ScrapedNode[]): string {
  const rows = nodes.map(({ name, host, port }) => ({
    targets: [`${isIPv6(host) ? `[${host}]` : host}:${port}`],
    labels: { instance: name },
  }))
  return `${JSON.stringify(rows, undefined, 2)}\n`
}

/** Lists every node that serves metrics and was not voted out, as their configuration files are now. */
export function writeTargets(directory: string): void {
  const nodes = nodesOf(directory)
    .filter((node) => !isRemoved(node))
    .flatMap(({ name, configFile }) => {
      const config = readConfig(configFile)
      if (config['metrics-enabled'] !== true) return []
      const given = config['metrics-host'] ?? DEFAULT_HOST
      const host = EVERYWHERE.includes(given) ? DEFAULT_HOST : String(given)
      return [{ name, host, port: Number(config['metrics-port'] ?? DEFAULT_PORT) }]
    })
  writeFileAtomic(join(directory, TARGETS_FILE), formatTargets(nodes))
}
