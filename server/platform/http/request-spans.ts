/** A span for each request, in the trace of its `traceparent` header. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTracing, type OpenSpan, openSpan } from '../telemetry/tracing.ts';

/** Asked every few seconds by a load balancer or by Prometheus. */
const unrecorded = ['/health/live', '/health/ready', '/metrics'];

/** First of all hooks. Adds nothing where tracing is off. */
export function installRequestSpans(app: FastifyInstance): void {
  if (!isTracing()) return;
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, routeOptions } = request;
    if (headers.upgrade !== undefined || unrecorded.includes(routeOptions.url ?? '')) return done();
    const { traceparent } = headers;
    const span = openSpan({
      name: method,
      kind: 'server',
      attributes: { 'http.request.method': method },
      parent: typeof traceparent === 'string' ? traceparent : null,
    });
    if (!span) return done();
    spans.set(request, span);
    span.run(done);
  });
  // The body comes with events of the socket, which belong to no request.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.run(done);
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    if (span) {
      const route = request.routeOptions.url;
      // Never the address itself: it has ids of people, and tokens.
      if (route !== undefined) {
        span.rename(`${request.method} ${route}`);
        span.set({ 'http.route': route });
      }
      span.set({ 'http.response.status_code': reply.statusCode, 'talkboard.request.id': request.id });
      if (reply.statusCode >= 500) span.fail(String(reply.statusCode));
      span.end();
    }
    done();
  });
}
