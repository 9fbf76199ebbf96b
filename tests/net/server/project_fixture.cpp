// SPDX-License-Identifier: Apache-2.0
#include "project_fixture.h"

#include <fstream>

namespace sunloco::test {

std::vector<std::filesystem::path> licenceTexts() {
    std::vector<std::filesystem::path> files;
    for (const char* name : {"Apache-2.0", "GPL-3", "LGPL-2.1", "GFDL-1.3", "MPL-2.0"}) {
        const std::filesystem::path file = std::filesystem::path("/usr/share/common-licenses") / name;
        std::error_code ec;
        if (std::filesystem::exists(file, ec)) { files.push_back(file); }
    }
    return files;
}

std::string tinyModel() {
    return R"({"model_type":"llama","architectures":["LlamaForCausalLM"],"hidden_act":"silu","hidden_size":32,"intermediate_size":64,"num_hidden_layers":2,
"num_attention_heads":2,"num_key_value_heads":2,"head_dim":16,"max_position_embeddings":32,"vocab_size":400,"rms_norm_eps":1e-06,"initializer_range":0.02,
"rope_theta":10000.0,"tie_word_embeddings":false,"attention_bias":false,"mlp_bias":false,"bos_token_id":1,"eos_token_id":2})";
}

void writeFile(const std::filesystem::path& path, const std::string& content) {
    std::ofstream out(path, std::ios::binary);
    out << content;
}

server::InitOptions tinyProject(const std::filesystem::path& folder, const std::vector<std::string>& settings) {
    writeFile(folder / "model.json", tinyModel());
    server::InitOptions options;
    options.folder = folder / "project";
    options.texts = licenceTexts();
    options.model = folder / "model.json";
    options.name = "Tiny <project> & co";
    options.description = "Licence texts, for a test";
    options.source = "/usr/share/common-licenses";
    options.licence = "Each text's own";
    options.settings = {"batch_sequences=2", "sequence_length=16", "inner_steps=2", "min_inner_steps=1", "quorum=2", "total_steps=1000", "warmup_steps=1"};
    options.settings.insert(options.settings.end(), settings.begin(), settings.end());
    return options;
}

}  // namespace sunloco::test
