import { defineCommand } from '#cli/command.ts'
import { environmentSuffix, type Option, tomlKey } from '#config/option.ts'
import { ENVIRONMENT_PREFIXES } from '#config/sources.ts'
import { loadPlugins } from '#node/plugins/load-plugins.ts'
import { describeDeclaration } from '#plugins/declaration.ts'

export default defineCommand({
  options: {},
  async run({ root, io }) {
    const settings = root()
    const plugins = await loadPlugins(settings, true)
    try {
      if (plugins.hosts.length + plugins.leftOut.length === 0) io.out('This node has no plugins.\n')
      for (const host of plugins.hosts) {
        const { name, version, apiVersion } = host.declaration
        io.out(`${name} ${version} (interface ${apiVersion}), ${host.source.file}\n`)
        io.out(`  brings ${describeDeclaration(host.declaration)}\n`)
        for (const option of Object.values(plugins.optionRowsOf(host))) io.out(`  ${optionLine(option)}\n`)
      }
      for (const { sentence } of plugins.leftOut) io.out(`${sentence}\n`)
    } finally {
      await plugins.stop()
    }
  },
})

function optionLine(option: Option): string {
  const { flag, label, help, kind } = option
  const byDefault = option.default === undefined ? '' : ` Default: ${kind.format(option.default as never)}.`
  const variable = `${ENVIRONMENT_PREFIXES[0]}${environmentSuffix(flag)}`
  return `${flag}=<${label}>  ${help}${byDefault} Environment: ${variable}. TOML: ${tomlKey(flag)}.`
}
