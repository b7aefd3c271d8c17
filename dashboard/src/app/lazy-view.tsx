/**
 * Views whose code is loaded when they are opened, or before, while the browser is idle: then they also open offline.
 * The router's own `lazyRouteComponent` reloads the page when a file is missing, and offline that would lose it.
 */
import { type ComponentProps, type ComponentType, createElement, use, useEffect, useReducer } from 'react';
import { OfflineViewError } from '../data/errors.ts';
import { ErrorState } from '../ui/display/states.tsx';
import { withoutReload } from './reload-after-update.ts';

type Load = () => Promise<unknown>;

const loads: Load[] = [];

/** `load` imports the module, `name` is its export. */
export function lazyView<
  Name extends string,
  // biome-ignore lint/suspicious/noExplicitAny: the view has the properties of the component
  Module extends { [name in Name]: ComponentType<any> },
>(load: () => Promise<Module>, name: Name) {
  let view: Module[Name] | undefined;
  let failure: unknown;
  let loading: Promise<void> | undefined;
  loads.push(load);
  const preload = () => {
    loading ??= load().then(
      (module) => {
        view = module[name];
      },
      (error: unknown) => {
        failure = navigator.onLine ? error : new OfflineViewError();
        loading = undefined;
      },
    );
    return loading;
  };
  const forget = () => {
    failure = undefined;
  };
  function View(props: ComponentProps<Module[Name]>) {
    const [, render] = useReducer((count: number) => count + 1, 0);
    if (view) return createElement(view as ComponentType<object>, props);
    if (failure !== undefined) return <NotLoaded error={failure} forget={forget} render={render} />;
    use(preload());
    return null;
  }
  return Object.assign(View, { preload });
}

/** Tries again on request, when the network is back, and when the view is opened again. */
function NotLoaded({ error, forget, render }: { error: unknown; forget(): void; render(): void }) {
  const retry = () => {
    forget();
    render();
  };
  useEffect(() => {
    addEventListener('online', retry);
    return () => {
      removeEventListener('online', retry);
      forget();
    };
  });
  return <ErrorState error={error} onRetry={retry} className="h-full" />;
}

/** The first view and its data come first. */
const startAfterMs = 5_000;
let isStarted = false;

/** Once for a page. One after the other, so that what the person asks for does not wait. */
export function loadViewsWhenIdle(): void {
  if (isStarted) return;
  isStarted = true;
  setTimeout(() => void loadAll(), startAfterMs);
}

async function loadAll(): Promise<void> {
  try {
    // A module may add views of its own, such as the sections of the settings.
    for (const load of loads) {
      await idle();
      await withoutReload(load);
    }
  } catch {
    // There is no network, or the service was updated. Opening a view tries again.
  }
}

const idle = () =>
  new Promise<void>((resolve) => {
    // Safari has no requestIdleCallback.
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: 2_000 });
    else setTimeout(resolve, 50);
  });
