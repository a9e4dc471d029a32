interface Mermaid {
  initialize(settings: object): void
  render(id: string, code: string): Promise<{ svg: string }>
}

let loading: Promise<Mermaid> | undefined

/** Loads the script once, with the first diagram; it defines a global. */
export function loadMermaid(source: string): Promise<Mermaid> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = source
    script.onload = () => resolve((globalThis as unknown as { mermaid: Mermaid }).mermaid)
    script.onerror = () => reject(new Error(`Failed to load ${source}`))
    document.head.append(script)
  })
  return loading
}
