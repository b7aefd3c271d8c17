# syntax=docker/dockerfile:1
# Talkboard without the embedded PostgreSQL: it needs DATABASE_URL. docs/deploy.md says how to run it.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN node scripts/setup.mjs && node scripts/image-tree.ts /image && mkdir /empty

# No shell and no package manager: Node, its libraries and the service.
FROM scratch
COPY --from=build /image /
COPY --from=build --chown=65532:65532 --chmod=0700 /empty /data
# For a volume that BACKUP_TO names.
COPY --from=build --chown=65532:65532 --chmod=0700 /empty /backups
WORKDIR /app
ENV PATH=/usr/local/bin \
    NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    HEALTH_PORT=3000 \
    DATA_DIR=/data
USER 65532:65532
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["/usr/local/bin/node", "/app/deploy/healthcheck.mjs"]
ENTRYPOINT ["/usr/local/bin/node"]
CMD ["server/main.ts"]
