/** A network as services of Docker Compose: a directory for each node, which the container has as its own. */
import type { NewFile } from '#fleet/new-network.ts'
import {
  CONTAINER_PORTS,
  containerConfig,
  type ExportedNode,
  type FileRole,
  leastPeers,
  withPlaces,
} from './exported-node.ts'

export interface ContainerUser {
  readonly uid: number
  readonly gid: number
}

const SECRET: ReadonlySet<string> = new Set<FileRole>(['key', 'keyPassword', 'credentials'])

export function exportCompose(
  nodes: readonly ExportedNode[],
  image: string,
  { uid, gid }: ContainerUser,
): NewFile[] {
  const places = new Map(nodes.map(({ id, name }) => [id, `${name}:${CONTAINER_PORTS.p2p}`]))
  const files = nodes.flatMap((node) => [
    {
      path: `${node.name}/config.toml`,
      content: containerConfig(node, {
        'host-allowlist': ['localhost', '127.0.0.1', node.name],
        ...(node.files.keyPassword && { 'node-key-password-file': node.files.keyPassword.name }),
      }),
      isSecret: false,
    },
    ...Object.entries(node.files).map(([role, { name, text }]) => ({
      path: `${node.name}/${name}`,
      content: role === 'staticNodes' || role === 'permissions' ? withPlaces(text, places) : text,
      isSecret: SECRET.has(role),
    })),
  ])
  const header = `# Made by 'cairn network export --to compose'. Start: docker compose up --detach
# The files of the nodes belong to user ${uid}, who runs the containers.
name: cairn
x-node: &node
  image: ${JSON.stringify(image)}
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
    const published = (option: string, port: number) => `127.0.0.1:${config[option] ?? port}:${port}`
    const ports = [
      published('rpc-http-port', CONTAINER_PORTS.http),
      published('rpc-ws-port', CONTAINER_PORTS.websocket),
      published('metrics-port', CONTAINER_PORTS.metrics),
    ]
    return `  ${name}:
    <<: *node
    hostname: ${name}
    volumes: ["./${name}:/var/lib/cairn"]
    ports: ${JSON.stringify(ports)}
`
  })
  return [...files, { path: 'compose.yaml', content: header + services.join(''), isSecret: false }]
}
