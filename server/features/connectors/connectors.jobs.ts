/** Background work of connectors. */
export { connectHandler, connectJobKind } from './connectors.state.ts';
