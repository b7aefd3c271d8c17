/** Bars at the lower edge of the window. Toasts are placed above them, so that they cover no action. */
const bars = new Set<Element>();

function measure(): void {
  const tops = [...bars].map((bar) => bar.getBoundingClientRect().top);
  const height = Math.max(0, innerHeight - Math.min(innerHeight, ...tops));
  document.documentElement.style.setProperty('--bottom-bar', `${height}px`);
}
const observer = new ResizeObserver(measure);
addEventListener('resize', measure);

/** As the `ref` of the bar. */
export function bottomBar(bar: Element | null): (() => void) | undefined {
  if (!bar) return;
  bars.add(bar);
  observer.observe(bar);
  measure();
  return () => {
    bars.delete(bar);
    observer.unobserve(bar);
    measure();
  };
}
