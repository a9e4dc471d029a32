import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defineConfig } from 'vitepress'
import { githubSlug, plainMarkdown } from './markdown.ts'
import { copyMermaid, serveMermaid } from './mermaid.ts'
import { readSections, sidebarOf } from './sections.ts'

const docs = join(import.meta.dirname, '..')
const sections = readSections(docs)

/** Linked files that are not pages. */
const FILES = ['reference/openrpc.json']

export default defineConfig({
  title: 'Cairn',
  description: 'An EVM node for private networks (QBFT, IBFT 2.0), in TypeScript',
  lang: 'en-GB',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/cairn.svg' }]],
  srcDir: '.',
  outDir: '../dist-docs',
  cacheDir: '../node_modules/.cache/vitepress',
  metaChunk: true,
  markdown: {
    html: false,
    anchor: { slugify: githubSlug },
    toc: { slugify: githubSlug },
    headers: { slugify: githubSlug },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    config: (md) => plainMarkdown(md, docs),
  },
  themeConfig: {
    logo: '/cairn.svg',
    search: { provider: 'local' },
    nav: sections.slice(0, -1).map(({ title, pages }) => ({
      text: title,
      link: pages[0]!.link,
      activeMatch: `^${dirname(pages[0]!.link)}/`,
    })),
    sidebar: sidebarOf(docs, sections),
    outline: [2, 3],
    externalLinkIcon: true,
    docFooter: { prev: 'Previous', next: 'Next' },
  },
  vite: { plugins: [serveMermaid], build: { chunkSizeWarningLimit: 4000 } },
  buildEnd({ outDir }) {
    copyMermaid(outDir)
    for (const file of FILES) {
      const target = join(outDir, file)
      mkdirSync(dirname(target), { recursive: true })
      copyFileSync(join(docs, file), target)
    }
  },
})
