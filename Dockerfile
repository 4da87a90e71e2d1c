# Fovea in a container, with its page. docs/how-to/run-in-a-container.md says how it is used.
FROM debian:12-slim AS build
WORKDIR /source
COPY . .
RUN bash -euc 'source scripts/setup.bash; \
  need_packages "${packages_to_run[@]}" "${packages_for_page[@]}" "${packages_for_engine[@]}"; \
  only_target=program build_preset release build -DFOVEA_ALL_INSTRUCTION_SETS=ON; \
  cmake --install build --prefix /opt/fovea --strip >/dev/null'

FROM debian:12-slim
RUN apt-get update -q && apt-get install -y -q --no-install-recommends libfmt9 libtomlplusplus3 libsqlite3-0 libcairo2 zlib1g libzstd1 libutf8proc2 \
    libsentencepiece0 libcurl4 libarchive13 libhwy1 fonts-dejavu-core ca-certificates && rm -rf /var/lib/apt/lists/* && \
  useradd --create-home fovea && install -d -o fovea -g fovea /runs
COPY --from=build /opt/fovea/bin/fovea /usr/local/bin/fovea
USER fovea
WORKDIR /runs
ENV FOVEA_HOME=/runs
VOLUME /runs
EXPOSE 8470
ENTRYPOINT ["fovea"]
CMD ["--help"]
