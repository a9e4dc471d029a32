/** Exports a network as Docker Compose services: one directory per node, mounted into its container. */
import type { NewFile, TomlValue } from '#fleet/new-network.ts'
import {
  CONTAINER_PORTS,
  containerConfig,
  EVERYWHERE,
  type ExportedNode,
  type ExportedService,
  type FileRole,
  hasConsole,
  hostsOf,
  isEnabled,
  leastPeers,
  SERVICES,
  withPlaces,
} from './exported-node.ts'

export interface ContainerUser {
  readonly uid: number
  readonly gid: number
}

const SECRET: ReadonlySet<string> = new Set<FileRole>([
  'key',
  'keyPassword',
  'httpCredentials',
  'wsCredentials',
])

const WITH_ENODES: ReadonlySet<string> = new Set<FileRole>([
  'staticNodes',
  'nodePermissions',
  'accountPermissions',
])

export function exportCompose(
  nodes: readonly ExportedNode[],
  image: string,
  { uid, gid }: ContainerUser,
): NewFile[] {
  const places = new Map(nodes.map(({ id, name }) => [id, `${name}:${CONTAINER_PORTS.p2p}`]))
  const files = nodes.flatMap((node) => [
    {
      path: `${node.name}/config.toml`,
      // The host reaches a container by its address; ports are published only on the loopback interface.
      content: containerConfig(node, () => EVERYWHERE, {
        ...(node.files.keyPassword && { 'node-key-password-file': node.files.keyPassword.name }),
        ...(nodes.some(hasConsole) && { 'host-allowlist': [...new Set([...hostsOf(node), node.name])] }),
        ...(hasConsole(node) && consoleOf(nodes)),
      }),
      isSecret: true,
    },
    ...filesOf(node, places),
  ])
  const header = `# Made by 'cairn network export --to compose'. Start: docker compose up --detach
# The files of the nodes belong to user ${uid}, who runs the containers.
name: cairn
x-node: &node
  image: ${JSON.stringify(image).replaceAll('$', '$$$$')}
  user: "${uid}:${gid}"
  working_dir: /var/lib/cairn
  command: ["--config-file=config.toml"]
  restart: unless-stopped
  stop_grace_period: 90s
  read_only: true
  tmpfs: ["/tmp"]
  cap_drop: ["ALL"]
  security_opt: ["no-new-privileges:true"]
  environment:
    HEALTH_URL: "http://127.0.0.1:${CONTAINER_PORTS.http}/readiness?minPeers=${leastPeers(nodes)}"
services:
`
  const services = nodes.map(({ name, config }) => {
    const ports = (Object.keys(SERVICES) as ExportedService[])
      .filter((service) => isEnabled(config, service))
      .map((service) => {
        const port = CONTAINER_PORTS[service]
        return `127.0.0.1:${config[`${SERVICES[service]}-port`] ?? port}:${port}`
      })
    if (config['console-enabled'] === true) {
      ports.push(`127.0.0.1:${config['console-port'] ?? CONTAINER_PORTS.console}:${CONTAINER_PORTS.console}`)
    }
    return `  ${name}:
    <<: *node
    hostname: ${name}
    volumes: ["./${name}:/var/lib/cairn"]
    ports: ${JSON.stringify(ports)}
`
  })
  return [...files, { path: 'compose.yaml', content: header + services.join(''), isSecret: false }]
}

/** The console reaches the nodes by the names of their services. */
function consoleOf(nodes: readonly ExportedNode[]): Readonly<Record<string, TomlValue>> {
  const shown = nodes.filter(({ config }) => isEnabled(config, 'http'))
  return {
    'console-host': EVERYWHERE,
    'console-port': CONTAINER_PORTS.console,
    'console-nodes': shown.map(({ name }) => `${name}=http://${name}:${CONTAINER_PORTS.http}`),
  }
}

/** Two options may name the same file. */
function filesOf({ name: folder, files }: ExportedNode, places: ReadonlyMap<string, string>): NewFile[] {
  const byPath = new Map<string, NewFile>()
  for (const [role, { name, text }] of Object.entries(files)) {
    const path = `${folder}/${name}`
    const isSecret = SECRET.has(role) || (byPath.get(path)?.isSecret ?? false)
    byPath.set(path, { path, content: WITH_ENODES.has(role) ? withPlaces(text, places) : text, isSecret })
  }
  return [...byPath.values()]
}
